import Expectations

@testable import Loops
@testable import Reactor

@Suite("PositionWaits", .timeLimit(.minutes(10)))
struct PositionWaitsTests {
    private func instant(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private func id(_ index: UInt32) -> ConnectionID { ConnectionID(index: index, generation: 1) }

    @Test func nothingIsAskedAndDueWhileNoneWaits() {
        var waits = PositionWaits()
        expectNil(waits.nextDeadline)
        let question = waits.nextQuestion()
        expectNil(question)
        let ids = waits.takeOverdue(now: instant(9)) + waits.answered(0) + waits.answered(1)
        expect(ids.isEmpty)
    }

    @Test func allThatWaitShareAQuestion() {
        var waits = PositionWaits()
        waits.add(id(1), until: instant(1))
        waits.add(id(2), until: instant(2))
        expectEqual(waits.nextDeadline, instant(1))
        let questions = [waits.nextQuestion(), waits.nextQuestion()]
        expectEqual(questions, [1, nil])
        let released = [waits.answered(1), waits.answered(1)]
        expectEqual(released, [[id(1), id(2)], []])
        expectNil(waits.nextDeadline)
    }

    @Test func laterOnesShareTheNextQuestion() {
        var waits = PositionWaits()
        waits.add(id(1), until: instant(1))
        _ = waits.nextQuestion()
        waits.add(id(2), until: instant(2))
        waits.add(id(3), until: instant(3))
        let early = waits.nextQuestion()
        expectNil(early, "one question is under way")
        let first = waits.answered(1)
        expectEqual(first, [id(1)])
        expectEqual(waits.nextDeadline, instant(2))
        let next = waits.nextQuestion()
        expectEqual(next, 2)
        let second = waits.answered(2)
        expectEqual(second, [id(2), id(3)])
    }

    @Test func deadlineReleasesThoseThatAreDue() {
        var waits = PositionWaits()
        waits.add(id(1), until: instant(1))
        waits.add(id(2), until: instant(2))
        _ = waits.nextQuestion()
        waits.add(id(3), until: instant(3))
        let due = (0...3).map { waits.takeOverdue(now: instant($0)) }
        expectEqual(due, [[], [id(1)], [id(2)], [id(3)]])
        expectNil(waits.nextDeadline)
    }

    @Test func questionThatReleasesSomeIsStillAnswered() {
        var waits = PositionWaits()
        waits.add(id(1), until: instant(1))
        waits.add(id(2), until: instant(2))
        _ = waits.nextQuestion()
        _ = waits.takeOverdue(now: instant(1))
        let rest = waits.answered(1)
        expectEqual(rest, [id(2)])
    }

    /// Its answer comes too late, or never.
    @Test func questionWithoutConnectionsIsGivenUp() {
        var waits = PositionWaits()
        waits.add(id(1), until: instant(1))
        _ = waits.nextQuestion()
        waits.add(id(2), until: instant(3))
        let overdue = waits.takeOverdue(now: instant(1))
        expectEqual(overdue, [id(1)])
        let next = waits.nextQuestion()
        expectEqual(next, 2)
        let late = waits.answered(1)
        expect(late.isEmpty, "it was asked before the second one came")
        let answered = waits.answered(2)
        expectEqual(answered, [id(2)])
    }
}

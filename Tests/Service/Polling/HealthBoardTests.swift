import Expectations

@testable import Service

@Suite("Health board", .timeLimit(.minutes(10)))
struct HealthBoardTests {
    private let now = Timestamp(iso8601: "2024-12-09T17:10:00Z")!

    private func machine(_ name: String, staleAfter: Duration = .seconds(180)) -> FeedMachine {
        FeedMachine(
            name: name,
            policy: FeedPolicy(interval: .seconds(60), staleAfter: staleAfter),
            validators: FeedValidators(),
            now: now,
            random: 0
        )
    }

    private func finished(_ machine: FeedMachine, status: Int) -> FeedMachine {
        var machine = machine
        _ = machine.start(now: now)
        if case .body = machine.finish(FeedResponse(status: status), now: now, random: 0) {
            machine.accepted(now: now, random: 0)
        }
        return machine
    }

    @Test func boardBeginsEmpty() {
        expect(HealthBoard().all.isEmpty)
    }

    @Test func linesAreSortedByNameAndTheLatestOfEachStands() throws {
        let board = HealthBoard()
        for name in ["swpc.kp", "metno.weather:tromso", "swpc.ovation"] {
            board.update(machine(name))
        }
        board.update(finished(machine("swpc.kp"), status: 500))
        expectEqual(board.all.map(\.name), ["metno.weather:tromso", "swpc.kp", "swpc.ovation"])
        expectEqual(board.all.map(\.health.consecutiveFailures), [0, 1, 0])
        expectEqual(board.all.map(\.health.status), [.starting, .failing, .starting])
    }

    @Test func feedIsStaleWhenItsLastSuccessIsTooLongAgo() throws {
        let board = HealthBoard()
        board.update(finished(machine("a", staleAfter: .seconds(90)), status: 200))
        let line = try require(board.all.first)
        expect(!line.isStale(now: now))
        expect(!line.isStale(now: now + .seconds(90)))
        expect(line.isStale(now: now + .milliseconds(90_001)))
    }

    @Test func feedThatRepeatsOldDataIsStaleThoughItAnswers() throws {
        let board = HealthBoard()
        board.update(finished(machine("a", staleAfter: .seconds(90_000)), status: 200))
        let data = DataFreshness(time: now - .seconds(300), ageMax: .seconds(1200))
        board.note(data, of: "a")
        // A poll that brings nothing new leaves what is known of the data.
        board.update(finished(machine("a", staleAfter: .seconds(90_000)), status: 200))
        let line = try require(board.all.first)
        expectEqual(line.data, data)
        // The data could be a poll's interval of 60 s older than they look.
        expect(!line.isStale(now: now + .seconds(960)))
        expect(line.isStale(now: now + .seconds(961)))
    }

    @Test func newestPollsOfEachFeedAreKeptAndCounted() {
        let board = HealthBoard()
        let polls = (0...FeedPoll.keptMax).map { number in
            FeedPoll(
                time: now + .seconds(number),
                duration: .seconds(1),
                outcome: number % 2 == 0 ? .changed : .failed("status 500"),
                status: number % 2 == 0 ? 200 : 500
            )
        }
        for poll in polls.dropLast() { board.note(poll, of: "a") }
        expectEqual(board.recentPolls, ["a": Array(polls.dropLast())])
        board.note(polls[polls.count - 1], of: "a")
        board.note(polls[0], of: "b")
        expectEqual(board.recentPolls, ["a": Array(polls.dropFirst()), "b": [polls[0]]])
        expectEqual(board.polls.runs["a"], [.changed: 61, .error: 60])
        board.removeAll()
        expect(board.recentPolls.isEmpty)
        expectEqual(board.polls.runs["b"], [.changed: 1], "counters never fall")
    }

    @Test func problemsOfDomainsAreListedUntilTheBoardIsCleared() {
        let board = HealthBoard()
        expect(board.problems.isEmpty)
        board.addProblems { [.init(part: "a", reason: "no data")] }
        board.addProblems { [] }
        expectEqual(board.problems, [.init(part: "a", reason: "no data")])
        board.removeAll()
        expect(board.problems.isEmpty)
    }

    @Test func feedThatHasNotSucceededIsStaleFromItsFirstFailureOn() throws {
        let board = HealthBoard()
        board.update(machine("a"))
        expectEqual(board.all.first?.isStale(now: now + .seconds(3600)), false)
        board.update(finished(machine("a"), status: 500))
        expectEqual(board.all.first?.isStale(now: now), true)
    }
}

@Suite("Readiness board", .timeLimit(.minutes(10)))
struct ReadinessBoardTests {
    @Test func hubIsNotReadyUntilItSaysSo() {
        let board = ReadinessBoard()
        expectEqual(board.refusal, "starting")
        board.set(nil, part: "hub")
        expectNil(board.refusal)
    }

    @Test func allReasonsAreToldAndEachIsLiftedAlone() {
        let board = ReadinessBoard()
        board.set("stopping", part: "hub")
        board.set("disk full", part: "disk")
        board.set("no upstream", part: "feeds")
        expectEqual(board.refusal, "disk full; no upstream; stopping")
        board.set(nil, part: "feeds")
        board.set(nil, part: "unheard of")
        expectEqual(board.refusal, "disk full; stopping")
    }
}

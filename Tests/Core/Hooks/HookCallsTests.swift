import Expectations
import SeededRandom

@testable import Core

@Suite(
    "Hooks: calls at the same time, waiting, equal questions, the breaker",
    .timeLimit(.minutes(10))
)
struct HookCallsTests {
    private typealias Calls = HookCalls<Int>

    private static let wall = Timestamp(seconds: 1_000_000)
    private static let yes = HookAnswer.connect(HookConnect())

    private func settings(_ concurrency: Int, _ queue: Int, cache: Duration = .zero)
        -> Calls.Settings
    {
        var settings = Calls.Settings()
        settings.concurrency = concurrency
        settings.queue = queue
        settings.cache = cache
        return settings
    }

    /// Questions with another number are other questions.
    private func connect(_ number: Int) -> HookQuestion {
        HookQuestion(.connect(.init(name: "\(number)")), of: nil)
    }

    private func publish() -> HookQuestion {
        HookQuestion(.publish(Topic(trusted: "a"), data: [48]), of: nil)
    }

    private func finish(
        _ calls: inout Calls,
        _ call: Calls.Call,
        _ outcome: Result<HookAnswer, HookFault> = .success(yes),
        now: Int64 = 0
    ) -> Calls.Consequences {
        calls.finish(call, outcome, now: now, wall: Self.wall, random: 0.5)
    }

    private func call(_ decision: Calls.Decision) throws -> Calls.Call {
        guard case .call(let call) = decision else { throw NoCall() }
        return call
    }

    private struct NoCall: Error {}

    // MARK: Bounds

    @Test func callsAndWaitingQuestionsAreBounded() throws {
        var calls = Calls(settings(2, 1))
        let first = try call(calls.ask(connect(1), 1, now: 0))
        _ = try call(calls.ask(connect(2), 2, now: 0))
        guard case .wait = calls.ask(connect(3), 3, now: 0) else { throw NoCall() }
        guard case .refuse(.tooMany) = calls.ask(connect(4), 4, now: 0) else { throw NoCall() }
        expectEqual(calls.callCount, 2)
        expectEqual(calls.waitingCount, 1)
        let end = finish(&calls, first)
        expectEqual(end.askers, [1])
        expectEqual(end.next?.question, connect(3))
        expectEqual(calls.callCount, 2)
        expectEqual(calls.waitingCount, 0)
        // An end that is reported twice.
        let again = finish(&calls, first)
        expectEqual(again.askers, [])
    }

    @Test(arguments: [(10, true), (9, false)])
    func waitingQuestionsHaveABoundInBytes(bytesMax: Int, fits: Bool) throws {
        var settings = settings(1, 100)
        settings.bytesMax = bytesMax
        var calls = Calls(settings)
        // `a`, and four bytes of data.
        let question = HookQuestion(.publish(Topic(trusted: "a"), data: [49, 50, 51, 52]), of: nil)
        expectEqual(question.length, 5)
        // One that is asked at once does not wait.
        var running = try call(calls.ask(question, 0, now: 0))
        _ = calls.ask(question, 1, now: 0)
        let second = calls.ask(question, 2, now: 0)
        if case .wait = second { expect(fits) } else { expect(!fits) }
        expectEqual(calls.waitingCount, (fits ? 2 : 1))
        // There is room again when they have been asked.
        while let next = finish(&calls, running).next { running = next }
        _ = try call(calls.ask(question, 3, now: 0))
        guard case .wait = calls.ask(question, 4, now: 0) else { throw NoCall() }
    }

    @Test func keptAnswersHaveABoundInBytes() throws {
        var settings = settings(1, 0, cache: .seconds(10))
        settings.bytesMax = 20
        var calls = Calls(settings)
        func keep(_ number: Int, _ length: Int) throws {
            var answer = HookConnect()
            answer.data = [UInt8](repeating: 49, count: length)
            let call = try call(calls.ask(connect(number), 1, now: 0))
            _ = finish(&calls, call, .success(.connect(answer)))
        }
        for number in 1...2 { try keep(number, 10) }
        expectEqual(calls.keptCount, 2)
        // The oldest goes for one more byte.
        try keep(3, 1)
        expectEqual(calls.keptCount, 2)
        guard case .answer = calls.ask(connect(2), 1, now: 0) else { throw NoCall() }
        // An answer that is longer than all together is not kept.
        try keep(4, 21)
        expectEqual(calls.keptCount, 0)
        try keep(5, 20)
        expectEqual(calls.keptCount, 1)
    }

    @Test func waitingQuestionsAreAskedInTheirOrder() throws {
        var calls = Calls(settings(1, 100))
        var running: Calls.Call? = try call(calls.ask(publish(), 0, now: 0))
        for asker in 1...20 { _ = calls.ask(publish(), asker, now: 0) }
        var order: [Int] = []
        while let call = running {
            let end = finish(&calls, call)
            order += end.askers
            running = end.next
        }
        expectEqual(order, Array(0...20))
        expectEqual(calls.callCount, 0)
    }

    // MARK: Equal questions

    @Test func equalQuestionsShareACallWhetherItRunsOrWaits() throws {
        var calls = Calls(settings(1, 1))
        let first = try call(calls.ask(connect(1), 1, now: 0))
        for (number, asker) in [(1, 2), (2, 3), (2, 4), (1, 5)] {
            guard case .wait = calls.ask(connect(number), asker, now: 0) else { throw NoCall() }
        }
        let end = finish(&calls, first)
        expectEqual(end.askers, [1, 2, 5])
        let next = finish(&calls, try require(end.next))
        expectEqual(next.askers, [3, 4])
        // Publications are never the same.
        _ = try call(calls.ask(publish(), 6, now: 0))
        guard case .wait = calls.ask(publish(), 7, now: 0) else { throw NoCall() }
        expectEqual(calls.waitingCount, 1)
    }

    @Test func positiveAnswersAreKeptForTheirTime() throws {
        var calls = Calls(settings(4, 4, cache: .seconds(30)))
        _ = finish(&calls, try call(calls.ask(connect(1), 1, now: 1000)), now: 1000)
        guard case .answer(Self.yes) = calls.ask(connect(1), 2, now: 30_999) else { throw NoCall() }
        let again = try call(calls.ask(connect(1), 3, now: 31_000))
        // An answer that ends before.
        var ending = HookConnect()
        ending.expiresAt = Self.wall + .seconds(2)
        _ = finish(&calls, again, .success(.connect(ending)), now: 31_000)
        guard case .answer = calls.ask(connect(1), 4, now: 32_999) else { throw NoCall() }
        let last = try call(calls.ask(connect(1), 5, now: 33_000))
        ending.expiresAt = Self.wall
        _ = finish(&calls, last, .success(.connect(ending)), now: 33_000)
        _ = try call(calls.ask(connect(1), 6, now: 33_000))
    }

    @Test(arguments: [
        HookAnswer.error(.init(code: 1, message: "")), .disconnect(code: 4000, reason: ""),
    ])
    func refusalsAreNotKept(answer: HookAnswer) throws {
        var calls = Calls(settings(4, 4, cache: .seconds(30)))
        _ = finish(&calls, try call(calls.ask(connect(1), 1, now: 0)), .success(answer))
        _ = try call(calls.ask(connect(1), 2, now: 0))
        expectEqual(calls.keptCount, 0)
    }

    @Test func keptAnswersAreBoundedAndForgotten() throws {
        var calls = Calls(settings(1, 0, cache: .seconds(10)))
        for number in 0...Calls.keptMax {
            _ = finish(&calls, try call(calls.ask(connect(number), 1, now: 0)))
        }
        expectEqual(calls.keptCount, Calls.keptMax)
        _ = try call(calls.ask(connect(0), 1, now: 0))
        guard case .answer = calls.ask(connect(1), 1, now: 0) else { throw NoCall() }
        var later = Calls(settings(1, 0, cache: .seconds(10)))
        for number in 0...100 {
            let now = Int64(number) * 1000
            _ = finish(&later, try call(later.ask(connect(number), 1, now: now)), now: now)
        }
        expectEqual(later.keptCount, 10)
    }

    // MARK: The breaker

    /// Lets the breaker open at a time.
    private func opened(now: Int64) throws -> Calls {
        var calls = Calls(settings(10, 10))
        for _ in 1...HookBreaker.failuresMax {
            expect(!calls.isBreakerOpen)
            let call = try call(calls.ask(publish(), 1, now: now))
            let end = finish(&calls, call, .failure(.timeout), now: now)
            expectEqual(end.askers, [1])
        }
        expect(calls.isBreakerOpen)
        return calls
    }

    @Test func breakerOpensAfterFailuresInARowAndClosesByOneProbe() throws {
        var calls = try opened(now: 0)
        guard case .refuse(.breakerOpen) = calls.ask(publish(), 2, now: 999) else { throw NoCall() }
        let probe = try call(calls.ask(publish(), 3, now: 1000))
        guard case .refuse(.breakerOpen) = calls.ask(publish(), 4, now: 5000) else {
            throw NoCall()
        }
        // Fails: twice as long.
        _ = finish(&calls, probe, .failure(.status(500)), now: 5000)
        guard case .refuse(.breakerOpen) = calls.ask(publish(), 5, now: 6999) else {
            throw NoCall()
        }
        _ = finish(&calls, try call(calls.ask(publish(), 6, now: 7000)), now: 7010)
        expect(!calls.isBreakerOpen)
        _ = try call(calls.ask(publish(), 7, now: 7010))
        _ = try call(calls.ask(publish(), 8, now: 7010))
    }

    @Test func refusalsOfTheApplicationAreNoFailures() throws {
        var calls = Calls(settings(10, 10))
        for number in 1...20 {
            let isFailure = number % HookBreaker.failuresMax != 0
            let call = try call(calls.ask(publish(), 1, now: 0))
            _ = finish(
                &calls,
                call,
                isFailure
                    ? .failure(.timeout) : .success(.error(.init(code: 1, message: "no")))
            )
            expect(!calls.isBreakerOpen)
        }
    }

    @Test func whatWaitsIsRefusedWhenTheBreakerOpens() throws {
        var calls = Calls(settings(HookBreaker.failuresMax, 10))
        let running = try (1...HookBreaker.failuresMax).map {
            try call(calls.ask(publish(), $0, now: 0))
        }
        for asker in 11...13 { _ = calls.ask(connect(asker), asker, now: 0) }
        // The question of another client is the same.
        _ = calls.ask(connect(12), 14, now: 0)
        var refused: [Int] = []
        var next: [Calls.Call] = []
        for call in running.dropLast() {
            let end = finish(&calls, call, .failure(.timeout))
            refused += end.refused
            if let call = end.next { next.append(call) }
        }
        expectEqual(refused, [])
        expectEqual(next.map(\.question), [connect(11), connect(12), connect(13)])
        _ = calls.ask(publish(), 15, now: 0)
        _ = calls.ask(publish(), 16, now: 0)
        let end = finish(&calls, running.last!, .failure(.timeout))
        expectEqual(end.refused, [16])
        // Calls of before it has opened do not close it.
        for call in next {
            let end = finish(&calls, call)
            expectNil(end.next)
        }
        expect(calls.isBreakerOpen)
    }

    @Test func pauseGrowsToHalfAMinute() {
        var breaker = HookBreaker()
        var now: Int64 = 0
        var pauses: [Int64] = []
        for _ in 1..<HookBreaker.failuresMax {
            let opens = breaker.noteFailure(now: now, random: 0.5)
            expect(!opens)
        }
        for _ in 1...8 {
            let opens = breaker.noteFailure(now: now, random: 0.5)
            expect(opens)
            let start = now
            while !breaker.admits(now: now) { now += 1 }
            pauses.append(now - start)
        }
        expectEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
    }

    // MARK: Any order

    /// Every asker gets exactly one outcome, and the bounds hold, whatever happens when.
    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func everyAskerIsAnsweredOnce(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var calls = Calls(
            settings(
                Int.random(in: 1...4, using: &random),
                Int.random(in: 0...6, using: &random),
                cache: .milliseconds(Int.random(in: 0...50, using: &random))
            )
        )
        var running: [Calls.Call] = []
        var waiting: Set<Int> = []
        var now: Int64 = 0
        func take(_ asker: Int) { expect(waiting.remove(asker) != nil) }
        for asker in 0..<400 {
            now += Int64.random(in: 0...400, using: &random)
            let question =
                Bool.random(using: &random)
                ? publish() : connect(Int.random(in: 0...5, using: &random))
            waiting.insert(asker)
            switch calls.ask(question, asker, now: now) {
            case .call(let call): running.append(call)
            case .wait: break
            case .answer, .refuse: take(asker)
            }
            while !running.isEmpty, Int.random(in: 0...2, using: &random) > 0 {
                let call = running.remove(at: Int.random(in: running.indices, using: &random))
                let isFailure = Int.random(in: 0...3, using: &random) > 0
                let outcome: Result<HookAnswer, HookFault> =
                    isFailure ? .failure(.timeout) : .success(Self.yes)
                let end = finish(&calls, call, outcome, now: now)
                for asker in end.askers + end.refused { take(asker) }
                if let next = end.next { running.append(next) }
            }
            expectEqual(calls.callCount, running.count)
        }
        while let call = running.popLast() {
            let end = finish(&calls, call, now: now)
            for asker in end.askers + end.refused { take(asker) }
            if let next = end.next { running.append(next) }
        }
        expect(waiting.isEmpty)
        expectEqual(calls.callCount, 0)
        expectEqual(calls.waitingCount, 0)
    }
}

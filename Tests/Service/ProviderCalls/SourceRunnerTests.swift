import Expectations
import HubTesting
import LoopTesting
import Service
import Upstream

@Suite("Source runner: budget, names and answers", .timeLimit(.minutes(10)))
struct SourceRunnerTests {
    /// 2026-03-02T12:00:00Z
    private static let noon = Timestamp(milliseconds: 1_772_452_800_000)
    private static let day = 20_514
    private static let midnight = Timestamp(milliseconds: Int64(day + 1) * 86_400_000)

    /// The spending of all sources, in memory.
    private final class Ledger: SpendingStorage {
        struct Failed: Error {}

        let spent = Locked<[String: DaySpending]>([:])
        let taken = Locked<[[UInt8]: UserShares.Taken]>([:])
        private let fails: Bool

        init(_ spent: [String: DaySpending] = [:], fails: Bool = false) {
            self.fails = fails
            self.spent.withLock { $0 = spent }
        }

        subscript(source: String) -> DaySpending? { spent.withLock { $0[source] } }

        func spending(of source: String, day: Int) async throws -> DaySpending {
            self[source] ?? DaySpending(day: day)
        }

        func shares(of source: String, day: Int) async throws -> [[UInt8]: UserShares.Taken] {
            taken.withLock { $0 }
        }

        func add(_ change: SpendingChange, of source: String) async throws {
            if fails { throw Failed() }
            spent.withLock { all in
                var sum = all[source] ?? DaySpending(day: change.day)
                sum.requests += change.requests
                sum.tokens += change.tokens
                all[source] = sum
            }
            guard let user = change.user else { return }
            taken.withLock { all in
                all[user, default: .init()].requests += change.requests
                all[user, default: .init()].tokens += change.tokens
            }
        }
    }

    /// What a test looks at.
    private struct World {
        let client = UpstreamClient()
        let ledger: Ledger
        let board = HealthBoard()
        var policy = SourcePolicy()
        var logger = silentLogger

        init(_ ledger: Ledger = Ledger()) { self.ledger = ledger }

        func runner() async throws -> SourceRunner {
            try await SourceRunner(
                source: "one",
                domain: "toys",
                policy: policy,
                timeout: .seconds(60),
                client: ProviderClient(client: client, userAgent: "varde/tests"),
                spending: ledger,
                clock: HubClock(
                    .recording(start: SourceRunnerTests.noon, speed: 0, anchor: HubClock.wall)
                ),
                board: board,
                logger: logger
            )
        }

        var results: [PollCounts.Result: UInt64]? { board.polls.runs["toys:one"] }
    }

    private func run(
        _ world: World = World(),
        answer: @escaping @Sendable (ServerRequest) -> ScriptedServer.Answer = { _ in .json("{}") },
        _ body: (SourceRunner, _ url: String) async throws -> Void
    ) async throws {
        defer { world.client.shutDown() }
        try await ScriptedServer.run(answer: answer) {
            try await body(try await world.runner(), $0.url)
        }
    }

    private func ask(
        _ runner: SourceRunner,
        _ url: String,
        for user: String? = "ann",
        is answer: ProviderAnswer<Int>
    ) async -> SourceRunner.Reply<Int> {
        await runner.ask(
            ProviderRequest(method: "POST", url: url, headers: [], body: []),
            tokensMax: 100,
            for: user.map { Array($0.utf8) },
            decode: { _ in answer }
        )
    }

    private let usage = TokenUsage(inputTokens: 20, outputTokens: 10)

    @Test func reservationIsStoredBeforeTheRequestIsSent() async throws {
        let world = World()
        let seen = Locked<[DaySpending?]>([])
        let answer: @Sendable (ServerRequest) -> ScriptedServer.Answer = { _ in
            let stored = world.ledger["one"]
            seen.withLock { $0.append(stored) }
            return .json("{}")
        }
        try await run(world, answer: answer) { runner, url in
            let reply = await ask(runner, url, is: .value(7, usage: usage))
            let reserved = DaySpending(day: Self.day, requests: 1, tokens: 100)
            expectEqual(seen.withLock { $0 }, [reserved])
            guard case .answered(7, let difference) = reply else {
                Issue.record("no answer: \(reply)")
                return
            }
            // The caller commits it with the answer.
            expectEqual(difference, SpendingChange(day: Self.day, tokens: -70))
            expectEqual(world.ledger["one"], reserved)
            expectEqual(world.results, [.changed: 1])
        }
    }

    @Test func requestWhoseReservationIsNotStoredIsNotSent() async throws {
        let world = World(Ledger(fails: true))
        let count = Locked(0)
        let answer: @Sendable (ServerRequest) -> ScriptedServer.Answer = { _ in
            count.withLock { $0 += 1 }
            return .json("{}")
        }
        try await run(world, answer: answer) { runner, url in
            let reply = await ask(runner, url, is: .value(7, usage: usage))
            guard case .later(let time) = reply else {
                Issue.record("asked: \(reply)")
                return
            }
            expectEqual(time, Self.noon + .seconds(60))
            expectEqual(count.withLock { $0 }, 0)
            expectNil(world.results)
        }
    }

    @Test func answerWithoutAValueHasItsReasonAndItsCost() async throws {
        let world = World()
        try await run(world) { runner, url in
            let reply = await ask(runner, url, is: .none(.refusal, usage: usage))
            guard case .none(.refusal, let difference) = reply else {
                Issue.record("not refused: \(reply)")
                return
            }
            expectEqual(difference.tokens, -70)
            expectEqual(world.results, [.unchanged: 1])
        }
    }

    @Test func failureReturnsTheReservationAndIsLoggedWithTheNamesOfItsDomain() async throws {
        var world = World()
        let (logger, lines) = StreamedLog.make()
        world.logger = logger
        try await run(world) { runner, url in
            let failure = ProviderFailure.disabled(reason: "status 401")
            guard case .failed(.switchedOff) = await ask(runner, url, is: .failure(failure)) else {
                Issue.record("not failed")
                return
            }
            expectEqual(world.ledger["one"], DaySpending(day: Self.day, requests: 1, tokens: 0))
            expectEqual(world.results, [.error: 1])
            let line = await lines.first { $0.level == .error }
            expectEqual(line?.message, "source is switched off until the hub starts again")
            expectEqual(
                line?.metadata,
                ["domain": "toys", "source": "one", "reason": "status 401"]
            )
        }
    }

    @Test func storedSpendingOfTheDayCounts() async throws {
        var world = World(Ledger(["one": DaySpending(day: Self.day, requests: 3, tokens: 950)]))
        world.policy = SourcePolicy(dailyTokensMax: 1000)
        try await run(world) { runner, url in
            guard case .later(Self.midnight) = await ask(runner, url, is: .value(7, usage: usage))
            else {
                Issue.record("asked beyond the budget")
                return
            }
            expectNil(world.results)
        }
    }

    /// The store has what a user has taken before the request is sent, under a digest.
    @Test func shareOfAUserHoldsAcrossARestart() async throws {
        var world = World()
        world.policy = SourcePolicy(dailyTokensMax: 2000, userSharePercent: 10)
        let ledger = world.ledger
        let seen = Locked<[Int]>([])
        let answer: @Sendable (ServerRequest) -> ScriptedServer.Answer = { _ in
            seen.withLock { list in
                list.append(ledger.taken.withLock { $0.values.reduce(0) { $0 + $1.tokens } })
            }
            return .json("{}")
        }
        try await run(world, answer: answer) { first, url in
            _ = await ask(first, url, is: .value(7, usage: nil))
            let second = try await world.runner()
            _ = await ask(second, url, is: .value(7, usage: nil))
            let third = try await world.runner()
            guard
                case .overShare(Self.midnight) = await ask(third, url, is: .value(7, usage: nil)),
                case .answered = await ask(third, url, for: "bob", is: .value(7, usage: nil))
            else {
                Issue.record("a restart has reset the share")
                return
            }
            expectEqual(seen.withLock { $0 }, [100, 200, 300])
            let accounts = ledger.taken.withLock { Array($0.keys) }
            expectEqual(accounts.count, 2)
            expect(accounts.allSatisfy { $0.count == 16 }, "no names")
            let left = third.budget(of: Array("ann".utf8), tokensMax: 100)
            expectEqual(left.tokens?.share, 200)
            expectEqual(left.tokens?.left, 0)
            expectEqual(left.questionsLeft, 0)
            expectEqual(left.resetsAt, Self.midnight)
        }
    }

    @Test func questionOfNoUserHasNoShare() async throws {
        var world = World()
        world.policy = SourcePolicy(dailyRequestsMax: 10, userSharePercent: 10)
        try await run(world) { runner, url in
            for user in ["ann", nil, nil] {
                guard
                    case .answered = await ask(runner, url, for: user, is: .value(7, usage: usage))
                else {
                    Issue.record("not asked for \(user ?? "no user")")
                    return
                }
            }
            guard
                case .overShare(Self.midnight) = await ask(runner, url, is: .value(7, usage: usage))
            else {
                Issue.record("asked beyond the share")
                return
            }
        }
    }
}

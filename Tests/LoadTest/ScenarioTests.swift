import Expectations
import Glibc
import Reactor

@testable import varde_load

@Suite("Scenarios: against a server of this process", .timeLimit(.minutes(10)))
struct ScenarioTests {
    private func run(
        _ behaviour: TestServer.Behaviour,
        _ makeScenario: @escaping @Sendable () -> some Scenario
    ) async throws -> Report {
        try await TestServer.with(behaviour) { settings in
            var settings = settings
            if case .hub = behaviour { settings.dialect = .centrifuge }
            let loop = try LoadLoop(
                makeScenario(),
                settings: settings,
                progress: ProgressLine(isShown: false)
            )
            return await loop.run()
        }
    }

    private func value(_ name: String, _ report: Report) -> Double? {
        report.figures.first { $0.name == name }?.value
    }

    private func fanout(rate: Double?, burst: Int = 1) -> FanoutScenario {
        var settings = FanoutScenario.Settings()
        settings.subscriberCount = 3
        settings.burst = burst
        settings.rate = rate
        settings.warmUp = .zero
        settings.duration = .seconds(30)
        settings.messagesMax = 40
        // How long a lost message is waited for.
        settings.stallTimeout = .milliseconds(200)
        return FanoutScenario(settings: settings, run: 7)
    }

    @Test(arguments: [1, 4])
    func fanoutOfAServerThatDeliversHasNoProblems(burst: Int) async throws {
        let report = try await run(.fanout(nil)) { fanout(rate: nil, burst: burst) }
        expectEqual(report.problems, [])
        expectEqual(value("published", report), 40)
        expectEqual(value("delivered", report), 120)
        expectEqual(value("frame", report), 132, "128 bytes and a header of 4")
        expectEqual(report.latencies.map(\.summary.count), [120])
    }

    @Test func openLoadPublishesAtItsRateAndTellsServiceTimesToo() async throws {
        let report = try await run(.fanout(nil)) { fanout(rate: 2000) }
        expectEqual(report.problems, [])
        expectEqual(value("lost", report), 0)
        expectEqual(report.latencies.map(\.name), ["latency", "service_time"])
    }

    @Test func lostMessageIsToldForEverySubscriber() async throws {
        let report = try await run(.fanout(.lost)) { fanout(rate: 2000) }
        expectEqual(report.problems, ["3 deliveries lost"])
        expectEqual(value("lost", report), 3)
    }

    @Test func doubledMessageIsTold() async throws {
        let report = try await run(.fanout(.doubled)) { fanout(rate: 2000) }
        expectEqual(report.problems, ["3 deliveries came twice"])
    }

    @Test func swappedMessagesAreTold() async throws {
        let report = try await run(.fanout(.swapped)) { fanout(rate: 2000) }
        expectEqual(report.problems, ["3 deliveries came out of order"])
    }

    @Test(arguments: [1, 16])
    func echoAwaitsEveryAnswer(burst: Int) async throws {
        let report = try await run(.echo) {
            var settings = EchoScenario.Settings()
            settings.connectionCount = 4
            settings.burst = burst
            settings.warmUp = .zero
            settings.duration = .seconds(30)
            settings.answersMax = 200
            return EchoScenario(settings: settings, run: 7)
        }
        expectEqual(report.problems, [])
        expectEqual(value("lost", report), 0)
        try expect(require(value("answers", report)) >= 200)
    }

    @Test func echoAtARateCountsFromWhenMessagesWereDue() async throws {
        let report = try await run(.echo) {
            var settings = EchoScenario.Settings()
            settings.connectionCount = 4
            settings.rate = 4000
            settings.warmUp = .zero
            settings.duration = .seconds(30)
            settings.answersMax = 200
            return EchoScenario(settings: settings, run: 7)
        }
        expectEqual(report.problems, [])
        try expect(require(value("answers", report)) >= 200)
    }

    @Test func idleConnectionsAreCounted() async throws {
        let report = try await run(.echo) {
            var settings = IdleScenario.Settings()
            settings.connectionCount = 20
            settings.settle = .zero
            settings.hold = .zero
            settings.pids = [getpid()]
            return IdleScenario(settings: settings)
        }
        expectEqual(report.problems, [])
        expectEqual(value("connections", report), 20)
        expect(value("resident_per_connection", report) != nil)
        expectEqual(report.latencies.map(\.summary.count), [20])
    }

    @Test func refusedHandshakesAreProblems() async throws {
        let report = try await run(.refusing) {
            var settings = ConnectScenario.Settings()
            settings.concurrency = 2
            settings.warmUp = .zero
            settings.duration = .seconds(30)
            settings.failuresMax = 20
            return ConnectScenario(settings: settings)
        }
        expectEqual(value("handshakes", report), 0)
        expectEqual(report.problems.last, "no handshake was completed")
        expect(
            report.problems.contains { $0.hasSuffix("handshake answered with status 503") },
            "\(report.problems)"
        )
    }

    @Test func refusedSubscriberEndsAFanout() async throws {
        let report = try await run(.refusing) { fanout(rate: nil) }
        expectEqual(report.problems.first?.hasPrefix("subscriber"), true, "\(report.problems)")
    }

    private func storm() -> StormScenario {
        var settings = StormScenario.Settings()
        settings.subscriberCount = 5
        settings.rounds = 2
        settings.rate = 500
        settings.calm = .milliseconds(20)
        settings.away = .milliseconds(20)
        return StormScenario(settings: settings, run: 7)
    }

    @Test func stormEndsWithEverySubscriberHavingEverything() async throws {
        let report = try await run(.hub(nil)) { storm() }
        expectEqual(report.problems, [])
        expectEqual(value("rounds", report), 2)
        expectEqual(value("unrecovered", report), 0)
        expectEqual(report.latencies.map(\.name), ["connected_again", "recovered"])
        expectEqual(report.latencies.map(\.summary.count), [10, 10])
    }

    @Test func recoveryThatLeavesSomethingOutIsALoss() async throws {
        let report = try await run(.hub(.incomplete)) { storm() }
        expectEqual(report.problems, ["10 deliveries lost"])
    }

    @Test func recoveryThatIsRefusedIsToldAndNotCountedAsLossToo() async throws {
        let report = try await run(.hub(.refused)) { storm() }
        expectEqual(report.problems, ["10 subscriptions were not recovered"])
        expectEqual(value("lost", report), 0)
    }

    @Test func soakWithChurnLosesNothingAndSamples() async throws {
        let report = try await run(.hub(nil)) {
            var settings = SoakScenario.Settings()
            settings.subscriberCount = 5
            settings.rate = 500
            settings.churn = 100
            settings.warmUp = .zero
            settings.duration = .milliseconds(200)
            settings.interval = .milliseconds(20)
            return SoakScenario(settings: settings, run: 7)
        }
        expectEqual(report.problems, [])
        expect(!report.samples.isEmpty)
    }

    @Test func handshakesAreCounted() async throws {
        let report = try await run(.hub(nil)) {
            var settings = ConnectScenario.Settings()
            settings.concurrency = 4
            settings.warmUp = .zero
            settings.duration = .seconds(30)
            settings.handshakesMax = 100
            return ConnectScenario(settings: settings)
        }
        expectEqual(report.problems, [])
        let handshakes = try require(value("handshakes", report))
        expect(handshakes >= 100)
        expectEqual(report.latencies.map(\.summary.count), [UInt64(handshakes)])
    }
}

import Expectations
import Reactor

@testable import varde_load

@Suite("Publishing by the server API: against a server of this process", .timeLimit(.minutes(10)))
struct PublishScenarioTests {
    private func run(
        _ fault: TestServer.APIFault?,
        connections: Int = 3,
        batch: Int = 1,
        rate: Double? = nil,
        key: String = TestServer.key
    ) async throws -> Report {
        try await TestServer.with(.api(fault)) { fleet in
            var fleet = fleet
            fleet.dialect = .http
            let api = PublishAPI(
                authority: fleet.url.authority,
                path: "/api",
                key: key,
                batch: batch
            )
            var settings = PublishScenario.Settings(api: api)
            settings.connectionCount = connections
            settings.topicCount = 2
            settings.rate = rate
            settings.warmUp = .zero
            settings.duration = .seconds(30)
            settings.publicationsMax = 200
            let loop = try LoadLoop(
                PublishScenario(settings: settings, run: 7),
                settings: fleet,
                progress: ProgressLine(isShown: false)
            )
            return await loop.run()
        }
    }

    private func value(_ name: String, _ report: Report) -> Double? {
        report.figures.first { $0.name == name }?.value
    }

    @Test(arguments: [1, 2, 10])
    func everyPublicationIsAcknowledgedOnce(batch: Int) async throws {
        let report = try await run(nil, batch: batch)
        expectEqual(report.problems, [])
        let published = try require(value("published", report))
        expect(published >= 200)
        expectEqual(value("requests", report), published / Double(batch))
        let counts = report.latencies.map(\.summary.count)
        expectEqual(report.latencies.map(\.name), ["latency"])
        // One request of each connection is still under way when there are enough, and is awaited.
        expect(counts.allSatisfy { Double($0) >= published / Double(batch) }, "\(counts)")
    }

    @Test(arguments: [1, 10])
    func openLoadTellsServiceTimesToo(batch: Int) async throws {
        let report = try await run(nil, batch: batch, rate: 4000)
        expectEqual(report.problems, [])
        try expect(require(value("published", report)) >= 200)
        expectEqual(report.latencies.map(\.name), ["latency", "service_time"])
    }

    @Test(arguments: [1, 10])
    func offsetThatIsLeftOutIsTold(batch: Int) async throws {
        let report = try await run(.skipped, connections: 1, batch: batch)
        expectEqual(report.problems, ["1 offsets that no answer had"])
        expectEqual(value("missing_offsets", report), 1)
    }

    @Test(arguments: [1, 10])
    func offsetThatIsGivenTwiceIsTold(batch: Int) async throws {
        let report = try await run(.repeated, connections: 1, batch: batch)
        expectEqual(report.problems, ["1 answers with an offset that another had"])
        expectEqual(value("repeated_offsets", report), 1)
    }

    @Test(arguments: [1, 10])
    func refusedPublicationIsToldAndTheOthersGoOn(batch: Int) async throws {
        let report = try await run(.refused, batch: batch)
        expectEqual(report.problems, [#"1 publications refused: {"code":111}"#])
        try expect(require(value("published", report)) >= 200)
        expectEqual(value("refused", report), 1)
    }

    @Test func epochThatChangesIsTold() async throws {
        let report = try await run(.otherEpoch, connections: 1)
        // Its offset is nobody else's, so it is missing as well.
        expectEqual(
            report.problems,
            ["1 offsets that no answer had", "1 answers of another epoch"]
        )
    }

    @Test func batchWithAReplyTooFewEndsTheRun() async throws {
        let report = try await run(.unanswered, connections: 1, batch: 10)
        expectEqual(
            report.problems,
            [
                "10 publications were answered by 9", "no publication was acknowledged",
            ]
        )
    }

    @Test func answerThatIsNoJSONEndsTheRun() async throws {
        let report = try await run(.garbled, connections: 1)
        expectEqual(report.problems.count, 1, "\(report.problems)")
        expectEqual(report.problems.first?.hasPrefix("unreadable answer: "), true)
    }

    @Test func statusOtherThan200EndsTheRun() async throws {
        let report = try await run(.failed, connections: 1, batch: 10)
        expectEqual(
            report.problems.first?.hasPrefix("connection 0 ended: answered with status 500: {"),
            true,
            "\(report.problems)"
        )
    }

    @Test func connectionThatEndsWithoutAnAnswerEndsTheRun() async throws {
        let report = try await run(.cutOff, connections: 1, batch: 10)
        expectEqual(
            report.problems.first?.hasPrefix("connection 0 ended: "),
            true,
            "\(report.problems)"
        )
        expectEqual(value("published", report), 0)
    }

    @Test func keyThatTheServerDoesNotKnowEndsTheRun() async throws {
        let report = try await run(nil, connections: 1, key: "another")
        expectEqual(
            report.problems,
            [
                "connection 0 ended: answered with status 401: no such key",
                "no publication was acknowledged",
            ]
        )
    }
}

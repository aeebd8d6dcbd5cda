import Aurora
import ConfigurationTesting
import DomainKit
import Expectations
import HubTesting

@testable import AuroraApp

@Suite("Aurora endpoints: forms, caching and keys", .timeLimit(.minutes(10)))
struct AuroraRoutesTests {
    static let evening = Timestamp(iso8601: "2024-12-09T17:10:00Z")!
    private static let endpoints = ["now", "tonight", "hourly", "forecast", "oval"]

    /// The endpoints over one sky, and the clock that the keys' windows go by.
    struct Hub {
        let api: AuroraRoutes
        let service: AuroraService
        let wall: Locked<Timestamp>

        func get(
            _ target: String,
            _ headers: HTTPHeaders = ["X-API-Key": "app"],
            method: String = "GET"
        ) throws -> ServerResponse {
            let head = HTTPRequestHead(
                method: method,
                target: "/api/aurora/\(target)",
                headers: headers
            )
            return try require(api.respond(to: ServerRequest(head: head, body: [], peer: nil)))
        }
    }

    private func ovation() throws -> AuroraPayload {
        let values = (0..<Ovation.valueCount).map { UInt8($0 % 181 == 157 ? 60 : 0) }
        return .ovation(
            try require(
                Ovation(
                    observation: AuroraRoutesTests.evening,
                    forecast: AuroraRoutesTests.evening + .seconds(3000),
                    values: values
                )
            )
        )
    }

    private func weather() -> AuroraPayload {
        let steps = (-1..<200).map {
            WeatherStep(
                time: AuroraRoutesTests.evening.roundedDown(to: .seconds(3600))
                    + .seconds(3600 * $0),
                cloud: 20,
                temperature: -3,
                windSpeed: 4,
                symbol: "fair_night"
            )
        }
        let forecast = Locationforecast(updatedAt: AuroraRoutesTests.evening, steps: steps)
        return .weather(place: "tromso", forecast)
    }

    private func kForecast() throws -> AuroraPayload {
        let start = AuroraRoutesTests.evening.roundedDown(to: .seconds(10_800))
        let rows = (0..<24).map { index in
            let time = (start + .seconds(10_800 * index)).iso8601Seconds.dropLast()
            return #"{"time_tag":"\#(time)","kp":3.67,"observed":"predicted"}"#
        }
        let body = Array("[\(rows.joined(separator: ","))]".utf8)
        return try AuroraProduct.kForecast.decode(body, now: AuroraRoutesTests.evening)
    }

    func withHub(
        tiers: [Int] = [10_000, 3],
        allowsMissing: Bool = false,
        isKnown: Bool = true,
        _ body: (Hub) async throws -> Void
    ) async throws {
        let payloads = isKnown ? [weather(), try kForecast(), try ovation()] : []
        try await withTemporaryStore { store in
            var pipeline = AuroraPipeline(places: [.tromso], rules: [])
            for payload in payloads {
                _ = pipeline.take(payload, now: AuroraRoutesTests.evening) { "id" }
            }
            let clock = HubClock(
                .recording(start: AuroraRoutesTests.evening, speed: 1, anchor: HubClock.wall)
            )
            let service = AuroraService(
                pipeline: pipeline,
                store: store,
                clock: clock,
                outbox: OutboxRouter(endpoints: [], wake: {}),
                logger: silentLogger
            )
            let wall = Locked(Timestamp(iso8601: "2025-12-21T11:20:00Z")!)
            let keys = AuroraKeys(
                [
                    AuroraKeys.Key(text: "app"), AuroraKeys.Key(text: "few", tier: 1),
                    AuroraKeys.Key(text: "other", tier: 1),
                ],
                tiers: tiers,
                allowsMissing: allowsMissing,
                clock: { wall.withLock { $0 } }
            )
            try await body(
                Hub(api: AuroraRoutes(service: service, keys: keys), service: service, wall: wall)
            )
        }
    }

    func keys(_ response: ServerResponse) throws -> [String] {
        try JSONReader.fields(of: response.body[...]).map(\.key)
    }

    func text(_ response: ServerResponse, _ key: String) throws -> String? {
        try JSONReader.fields(of: response.body[...]).first { $0.key == key }
            .map { String(decoding: $0.value, as: UTF8.self) }
    }

    // MARK: Forms

    /// Also without a key: there is nothing to be kept from anybody.
    @Test(arguments: ["", "/", "/nothing", "/now/", "/now/x", "/Now"])
    func whatIsNotThereIsRefusedInTheAppsForm(path: String) async throws {
        try await withHub { hub throws in
            let head = HTTPRequestHead(target: "/api/aurora" + path)
            let request = ServerRequest(head: head, body: [], peer: nil)
            let response = try require(hub.api.respond(to: request))
            expectEqual(response.head.status, 404)
            try expectEqual(text(response, "error"), #""Not Found""#)
            try expectEqual(text(response, "message"), #""Nothing is at this path.""#)
        }
    }

    @Test func methodThatIsNotThereIsRefusedInTheAppsForm() async throws {
        try await withHub { hub throws in
            let head = HTTPRequestHead(method: "POST", target: "/api/aurora/now")
            let request = ServerRequest(head: head, body: [], peer: nil)
            let response = try require(hub.api.respond(to: request))
            expectEqual(response.head.status, 405)
            expectEqual(response.head.headers.all("Allow"), ["GET, HEAD, OPTIONS"])
            try expectEqual(text(response, "error"), #""Method Not Allowed""#)
            try expectEqual(
                text(response, "message"),
                #""The methods here are GET, HEAD, OPTIONS.""#
            )
        }
    }

    @Test(
        arguments: [
            ("now", 300, "score"), ("tonight", 900, "best_time"),
            ("hourly", 900, "hourly_forecast"),
            ("forecast", 1800, "days_count"), ("oval", 300, "tromsø_visibility"),
        ]
    )
    func endpointAnswersWithItsFormAndHowLongItKeeps(
        endpoint: String,
        maxAge: Int,
        member: String
    ) async throws {
        try await withHub { hub throws in
            let response = try hub.get(endpoint)
            expectEqual(response.head.status, 200)
            try expect(keys(response).contains(member))
            let headers = response.head.headers
            expectEqual(headers.all("Cache-Control"), ["max-age=\(maxAge)"])
            expectEqual(headers.all("Content-Type"), ["application/json; charset=utf-8"])
            let hasTexts = ["now", "tonight"].contains(endpoint)
            expectEqual(headers.first("Vary"), (hasTexts ? "Accept-Language" : nil))
            expectEqual(headers.first("Content-Language"), (hasTexts ? "nb" : nil))
            let head = try hub.get(endpoint, method: "HEAD")
            expectEqual(head.body, response.body, "whoever sends it leaves the body out")
        }
    }

    @Test func numbersOfTheEndpointsAgree() async throws {
        try await withHub { hub throws in
            let (now, tonight) = (try hub.get("now"), try hub.get("tonight"))
            let today = try require(
                JSONReader.fields(of: hub.get("forecast?days=1").body[...])
                    .first { $0.key == "days" }?.value
            )
            let day = try JSONReader.fields(of: try require(JSONReader.elements(of: today).first))
            let probability = day.first { $0.key == "probability" }
                .map { String(decoding: $0.value, as: UTF8.self) }
            // The storm of this moment is the best hour of the evening and of the day.
            try expectEqual(text(now, "score"), text(tonight, "score"))
            try expectEqual(text(now, "score"), probability)
            try expectEqual(text(now, "level"), text(tonight, "level"))
            try expectEqual(text(now, "kp_index"), text(try hub.get("oval"), "kp_index"))
        }
    }

    @Test func daysAreOneToSevenAndThreeByDefault() async throws {
        try await withHub { hub throws in
            try expectEqual(text(try hub.get("forecast"), "days_count"), "3")
            for days in 1...7 {
                let response = try hub.get("forecast?days=\(days)")
                try expectEqual(text(response, "days_count"), "\(days)")
            }
            for days in ["0", "8", "-1", "x", "", "3.0", "99999999999999999999"] {
                let response = try hub.get("forecast?days=\(days)")
                expectEqual(response.head.status, 400, "\(days)")
                try expectEqual(keys(response), ["error", "message"])
                try expectEqual(text(response, "error"), "\"Bad Request\"")
            }
        }
    }

    @Test(arguments: endpoints)
    func beforeAnythingIsKnownItIsUnavailable(endpoint: String) async throws {
        try await withHub(isKnown: false) { hub throws in
            for target in [endpoint, "\(endpoint)?explain=1"] {
                let response = try hub.get(target)
                expectEqual(response.head.status, 503)
                expectEqual(response.head.headers.first("Cache-Control"), "no-store")
                expect(response.head.headers.contains("X-RateLimit-Remaining"))
            }
        }
    }

    @Test(arguments: endpoints)
    func unknownPlaceIsNotFound(endpoint: String) async throws {
        try await withHub { hub throws in
            try expectEqual(hub.get("\(endpoint)?place=tromso").head.status, 200)
            try expectEqual(hub.get("\(endpoint)?place=alta").head.status, 404)
        }
    }

    @Test(arguments: ["now", "tonight", "hourly", "forecast"])
    func explanationIsNotKept(endpoint: String) async throws {
        try await withHub { hub throws in
            let response = try hub.get("\(endpoint)?explain=1")
            expectEqual(response.head.status, 200)
            expectEqual(response.head.headers.first("Cache-Control"), "no-store")
            expect(!response.head.headers.contains("ETag"))
            try expectEqual(text(response, "place"), "\"tromso\"")
        }
    }

    // MARK: Entity tags

    @Test(arguments: endpoints)
    func wholeAnswerIsSentOnlyToWhomItIsNew(endpoint: String) async throws {
        try await withHub { hub throws in
            let response = try hub.get(endpoint)
            let etag = try require(response.head.headers.first("ETag"))
            expect(etag.wholeMatch(of: /"[0-9a-f]{16}"/) != nil, "\(etag)")
            for known in [etag, "W/\(etag)", "\"a\", \(etag)", "\"a,b\" , W/\(etag), \"c\"", "*"] {
                let again = try hub.get(endpoint, ["X-API-Key": "app", "If-None-Match": known])
                expectEqual(again.head.status, 304, "\(known)")
                expect(again.body.isEmpty)
                for name in ["ETag", "Cache-Control", "Vary", "Content-Language"] {
                    expectEqual(again.head.headers.all(name), response.head.headers.all(name))
                }
                expect(again.head.headers.contains("X-RateLimit-Remaining"))
            }
            for other in ["\"a\"", "", String(etag.dropFirst().dropLast()), "w/\(etag)"] {
                let again = try hub.get(endpoint, ["X-API-Key": "app", "If-None-Match": other])
                expectEqual(again.head.status, 200, "\(other)")
                expectEqual(again.body, response.body)
            }
        }
    }

    @Test func tagsOfTheLanguagesDiffer() async throws {
        try await withHub { hub throws in
            for endpoint in ["now", "tonight"] {
                let english: HTTPHeaders = ["X-API-Key": "app", "Accept-Language": "en"]
                try expect(
                    hub.get(endpoint).head.headers.first("ETag")
                        != hub.get(endpoint, english).head.headers.first("ETag")
                )
            }
        }
    }

    @Test func answerStaysUntilSomethingIsTakenIn() async throws {
        try await withHub { hub in
            let before = try hub.get("now")
            try expectEqual(
                hub.get("now").head.headers.first("ETag"),
                before.head.headers.first("ETag")
            )
            let body = Array(#"[{"time_tag":"2024-12-09T17:05:00","estimated_kp":7.67}]"#.utf8)
            try await hub.service.apply(
                .kMinutes,
                place: "",
                feed: "swpc.kp_minutes",
                body: body,
                validators: .init()
            )
            let after = try hub.get("now")
            try expectEqual(text(after, "kp_index"), "7.7")
            expect(after.head.headers.first("ETag") != before.head.headers.first("ETag"))
        }
    }

    @Test func answerOfAnEarlierStateIsNotKept() {
        var answers = ReadyAnswers()
        let key = ReadyAnswers.Key(question: .hourly, place: "tromso")
        let generation = answers.generation
        answers.keep(AuroraAnswer([1]), for: key, generation: generation)
        expectEqual(answers.ready[key], AuroraAnswer([1]))
        answers.forget()
        answers.keep(AuroraAnswer([1]), for: key, generation: generation)
        expect(answers.ready.isEmpty)
    }

    @Test func pathsThatAreNoneAreLeftToOthers() async throws {
        try await withHub { hub throws in
            for path in ["/api/auroras", "/api/auroranow", "/api", "/aurora/now", "/"] {
                let head = HTTPRequestHead(target: path, headers: ["X-API-Key": "app"])
                let request = ServerRequest(head: head, body: [], peer: nil)
                expectNil(hub.api.respond(to: request)?.head, "\(path)")
            }
        }
    }
}

import Aurora
import Expectations
import Foundation
import HubTesting
import Repository

@testable import AuroraApp
@testable import Hub

extension RoutesTests {
    // MARK: /api/aurora/now

    @Test func nowHasTheDocumentedFormAndHeaders() async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            let response = await hub.get("/api/aurora/now", key)
            expectEqual(response.head.status, 200)
            try expectEqual(
                JSONReader.fields(of: response.body[...]).map(\.key),
                [
                    "score", "level", "confidence", "headline", "location", "solar_wind",
                    "kp_index", "cloud_coverage", "visibility", "recommendation", "updated",
                ]
            )
            let headers = response.head.headers
            expectEqual(headers.first("Content-Type"), "application/json; charset=utf-8")
            expectEqual(headers.first("Cache-Control"), "max-age=300")
            expectEqual(headers.first("Content-Language"), "nb")
            expectEqual(headers.first("Vary"), "Accept-Language")
            expect(!headers.contains("Access-Control-Allow-Origin"), "the loop adds it")
            try expect(text(response, "level").flatMap(Level.init(rawValue:)) != nil)
            let updated = try require(text(response, "updated"))
            try expect(require(Timestamp(iso8601: updated)) >= RoutesTests.start)
        }
    }

    @Test func nowBeforeAnyUpstreamHasAnsweredIsUnavailable() async throws {
        try await withHub { hub in
            let response = await hub.get("/api/aurora/now", key)
            expectEqual(response.head.status, 503)
            let texts = try ["error", "message"].map { try text(response, $0) }
            expectEqual(texts, ["Service Unavailable", "Backend service temporarily unavailable"])
            expectEqual(response.head.headers.first("Cache-Control"), "no-store")
        }
    }

    @Test func nowServesWhatARestartBroughtBackWithoutWaitingForAnUpstream() async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            var pipeline = AuroraPipeline(places: [.tromso], rules: [])
            let rows = try await hub.store.state(domain: AuroraPipeline.domain)
            expectEqual(pipeline.restore(state: rows, alerts: []), [])
            let (logger, _) = StreamedLog.make()
            let clock = HubClock(
                .recording(start: RoutesTests.start, speed: 1, anchor: HubClock.wall)
            )
            let restarted = AuroraService(
                pipeline: pipeline,
                store: hub.store,
                clock: clock,
                outbox: OutboxRouter(endpoints: [], wake: {}),
                logger: logger
            )
            let ticking = Task { await restarted.tick() }
            while restarted.derivation(of: "tromso") == nil { await Task.yield() }
            ticking.cancel()
            await ticking.value
            let level = hub.service.derivation(of: "tromso")?.conditions.level
            expectEqual(restarted.derivation(of: "tromso")?.conditions.level, level)
        }
    }

    @Test func missingKeyIsUnauthorized() async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            let response = await hub.get("/api/aurora/now", ["Host": "hub.example"])
            expectEqual(response.head.status, 401)
            try expectEqual(
                JSONReader.fields(of: response.body[...]).map(\.key),
                [
                    "error", "message", "documentation",
                ]
            )
            try expectEqual(text(response, "error"), "Unauthorized")
            try expectEqual(
                text(response, "message"),
                "API key is required. Please provide X-API-Key header."
            )
        }
    }

    @Test(arguments: ["", "wrong", "right-ke", "right-key1", AuroraKeys.example])
    func unknownKeyIsForbidden(given: String) async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            let headers: HTTPHeaders = ["Host": "hub.example", "X-API-Key": given]
            let response = await hub.get("/api/aurora/now", headers)
            expectEqual(response.head.status, 403)
            try expectEqual(text(response, "error"), "Forbidden")
            try expectEqual(text(response, "message"), "Invalid API key.")
            let page = "http://hub.example/openapi/#document-aurora"
            try expectEqual(text(response, "documentation"), page)
        }
    }

    @Test(arguments: ["right-key", "second-key"])
    func everyConfiguredKeyIsAccepted(given: String) async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            await expectEqual(hub.get("/api/aurora/now", ["x-api-key": given]).head.status, 200)
        }
    }

    @Test func inDevelopmentTheExampleKeyAndNoKeyAreAcceptedAndOthersAreNot() async throws {
        let keys = AuroraKeys(keys: [AuroraKeys.example], allowsMissing: true)
        try await withHub(keys: keys) { hub in
            try await hub.applyOvation()
            await expectEqual(hub.get("/api/aurora/now").head.status, 200)
            let example: HTTPHeaders = ["X-API-Key": AuroraKeys.example]
            await expectEqual(hub.get("/api/aurora/now", example).head.status, 200)
            let wrong: HTTPHeaders = ["X-API-Key": "wrong"]
            await expectEqual(hub.get("/api/aurora/now", wrong).head.status, 403)
        }
    }

    @Test func withoutConfiguredKeysNobodyIsAdmitted() async throws {
        try await withHub(keys: AuroraKeys(keys: [], allowsMissing: false)) { hub in
            await expectEqual(hub.get("/api/aurora/now").head.status, 401)
            await expectEqual(hub.get("/api/aurora/now", ["X-API-Key": ""]).head.status, 403)
        }
    }

    @Test func placeIsChosenByItsIdentifierAndTheFirstOneIsTheDefault() async throws {
        let alta = try Place(id: "alta", name: "Alta", latitude: 69.97, longitude: 23.27)
        try await withHub(places: [alta, .tromso]) { hub in
            try await hub.applyOvation()
            for (target, name) in [
                ("/api/aurora/now", "Alta"), ("/api/aurora/now?place=tromso", "Tromsø"),
                ("/api/aurora/now?place=%61lta", "Alta"),
            ] {
                let location = try require(fields(await hub.get(target, key))["location"])
                let place = try JSONReader.fields(of: location).first { $0.key == "name" }
                expectEqual(place.flatMap { JSONReader.string($0.value) }, name, "\(target)")
            }
        }
    }

    @Test(arguments: ["nowhere", "", "Tromso"])
    func unknownPlaceIsNotFound(id: String) async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            let response = await hub.get("/api/aurora/now?place=\(id)", key)
            expectEqual(response.head.status, 404)
            try expectEqual(text(response, "message"), "No place '\(id)' is configured.")
        }
    }

    @Test func answerToALongPlaceIsShort() async throws {
        try await withHub { hub in
            let target = "/api/aurora/now?place=" + String(repeating: "x", count: 5000)
            let response = await hub.get(target, key)
            expectEqual(response.head.status, 404)
            expect(response.body.count < 200)
        }
    }

    @Test(
        arguments: [
            (nil, "nb"), ("nb", "nb"), ("no", "nb"), ("nn-NO", "nb"), ("en", "en"), ("en-GB", "en"),
            ("EN", "en"), ("de", "en"), ("*", "nb"), ("", "nb"), ("de, en;q=0.8", "en"),
            ("en;q=0.5, no", "nb"), ("no;q=0.5,en", "en"), ("nb;q=0.9, en;q=0.8", "nb"),
            ("en;q=0.9,nb;q=0.8", "en"), ("en ; q=0.2 , nb ; q=0.1", "en"), ("en;q=0", "nb"),
            ("en;q=x", "en"), (",;,", "nb"),
        ] as [(String?, String)]
    )
    func languageFollowsAcceptLanguage(accepted: String?, language: String) async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            var headers = key
            if let accepted { headers.append("Accept-Language", accepted) }
            let response = await hub.get("/api/aurora/now", headers)
            expectEqual(response.head.headers.first("Content-Language"), language)
            let conditions = try require(hub.service.derivation(of: "tromso")).conditions
            let expected = try require(Language.all.first { $0.code == language })
            try expectEqual(text(response, "headline"), conditions.headline(expected))
        }
    }

    @Test func explanationTellsWhereTheScoreComesFrom() async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            let response = await hub.get("/api/aurora/now?explain=1", key)
            expectEqual(response.head.status, 200)
            expectEqual(response.head.headers.first("Cache-Control"), "no-store")
            let keys = try fields(response).keys
            expect(keys.contains("factors"))
            expect(keys.contains("missing"))
            expect(keys.contains("limiting_factor"))
            await expectEqual(hub.get("/api/aurora/now?explain=1").head.status, 401)
        }
    }
}

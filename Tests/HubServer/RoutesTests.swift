import Aurora
import Feeds
import Foundation
import HTTPService
import HTTPWire
import HubTesting
import JSONText
import Logging
import Outbox
import Polling
import Repository
import Store
import Tasks
import Testing
import Timekeeping

@testable import AuroraApp
@testable import HubServer

@Suite("Routes: requests without sockets", .timeLimit(.minutes(10)))
struct RoutesTests {
    /// On the evening of the OVATION grid that is recorded as active.
    private static let start = Timestamp(iso8601: "2024-12-09T17:10:00Z")!

    /// The routes of a hub, with what a test changes behind them.
    private struct Hub {
        let responder: RouteResponder
        let service: AuroraService
        let readiness: ReadinessBoard
        let board: HealthBoard
        let store: HubStore

        func get(_ target: String, _ headers: HTTPHeaders = [:]) async -> ServerResponse {
            await send("GET", target, headers)
        }

        func send(
            _ method: String,
            _ target: String,
            _ headers: HTTPHeaders = [:]
        ) async -> ServerResponse {
            let head = HTTPRequestHead(method: method, target: target, headers: headers)
            return await responder.respond(to: ServerRequest(head: head, body: [], peer: nil))
        }

        /// Lets an upstream answer with the recorded grid.
        func applyOvation() async throws {
            let path = "spaceweather/ovation_aurora_latest.2024-12-09-active.json"
            let file = "\(repositoryRoot)/recordings/\(path)"
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            try await service.apply(
                .ovation,
                place: "",
                feed: "swpc.ovation",
                body: Array(bytes),
                validators: FeedValidators(etag: "\"one\"")
            )
        }
    }

    private func withHub(
        keys: AuroraKeys = AuroraKeys(keys: ["right-key", "second-key"], allowsMissing: false),
        places: [Place] = [.tromso],
        _ body: (Hub) async throws -> Void
    ) async throws {
        try await withTemporaryStore { store in
            let clock = HubClock(
                .recording(start: RoutesTests.start, speed: 1, anchor: HubClock.wall)
            )
            let service = AuroraService(
                pipeline: AuroraPipeline(places: places, rules: []),
                store: store,
                clock: clock,
                outbox: OutboxRouter(endpoints: [], wake: {}),
                logger: silentLogger
            )
            let (readiness, board) = (ReadinessBoard(), HealthBoard())
            var routes = Routes()
            HealthRoutes(
                readiness: readiness,
                board: board,
                clock: clock,
                store: store,
                version: "1.2.3"
            ).add(to: &routes)
            let api = AuroraAPI(service: service, keys: keys)
            routes.beside(methods: []) { api.respond(to: $0) }
            try await body(
                Hub(
                    responder: RouteResponder(
                        routes: routes,
                        serverAPI: { nil },
                        logger: silentLogger
                    ),
                    service: service,
                    readiness: readiness,
                    board: board,
                    store: store
                )
            )
        }
    }

    private func fields(_ response: ServerResponse) throws -> [String: ArraySlice<UInt8>] {
        let fields = try JSONReader.fields(of: response.body[...])
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.key, $0.value) })
    }

    private func text(_ response: ServerResponse, _ key: String) throws -> String? {
        try fields(response)[key].flatMap { JSONReader.string($0) }
    }

    // MARK: /api/aurora/now

    private let key: HTTPHeaders = ["X-API-Key": "right-key"]

    @Test func nowHasTheDocumentedFormAndHeaders() async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            let response = await hub.get("/api/aurora/now", key)
            #expect(response.head.status == 200)
            #expect(
                try JSONReader.fields(of: response.body[...]).map(\.key) == [
                    "score", "level", "confidence", "headline", "location", "solar_wind",
                    "kp_index", "cloud_coverage", "visibility", "recommendation", "updated",
                ]
            )
            let headers = response.head.headers
            #expect(headers.first("Content-Type") == "application/json; charset=utf-8")
            #expect(headers.first("Cache-Control") == "max-age=300")
            #expect(headers.first("Content-Language") == "nb")
            #expect(headers.first("Vary") == "Accept-Language")
            #expect(!headers.contains("Access-Control-Allow-Origin"), "the shard adds it")
            #expect(try text(response, "level").flatMap(Level.init(rawValue:)) != nil)
            let updated = try #require(try text(response, "updated"))
            #expect(try #require(Timestamp(iso8601: updated)) >= RoutesTests.start)
        }
    }

    @Test func nowBeforeAnyUpstreamHasAnsweredIsUnavailable() async throws {
        try await withHub { hub in
            let response = await hub.get("/api/aurora/now", key)
            #expect(response.head.status == 503)
            let texts = try ["error", "message"].map { try text(response, $0) }
            #expect(texts == ["Service Unavailable", "Backend service temporarily unavailable"])
            #expect(response.head.headers.first("Cache-Control") == "no-store")
        }
    }

    @Test func nowServesWhatARestartBroughtBackWithoutWaitingForAnUpstream() async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            var pipeline = AuroraPipeline(places: [.tromso], rules: [])
            let rows = try await hub.store.state(domain: AuroraPipeline.domain)
            #expect(pipeline.restore(state: rows, alerts: []) == [])
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
            #expect(restarted.derivation(of: "tromso")?.conditions.level == level)
        }
    }

    @Test func missingKeyIsUnauthorized() async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            let response = await hub.get("/api/aurora/now")
            #expect(response.head.status == 401)
            #expect(
                try JSONReader.fields(of: response.body[...]).map(\.key) == [
                    "error", "message", "documentation",
                ]
            )
            #expect(try text(response, "error") == "Unauthorized")
            #expect(
                try text(response, "message")
                    == "API key is required. Please provide X-API-Key header."
            )
        }
    }

    @Test(arguments: ["", "wrong", "right-ke", "right-key1", AuroraKeys.example])
    func unknownKeyIsForbidden(given: String) async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            let response = await hub.get("/api/aurora/now", ["X-API-Key": given])
            #expect(response.head.status == 403)
            #expect(try text(response, "error") == "Forbidden")
            #expect(try text(response, "message") == "Invalid API key.")
            #expect(try text(response, "documentation")?.hasPrefix("https://") == true)
        }
    }

    @Test(arguments: ["right-key", "second-key"])
    func everyConfiguredKeyIsAccepted(given: String) async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            #expect(await hub.get("/api/aurora/now", ["x-api-key": given]).head.status == 200)
        }
    }

    @Test func inDevelopmentTheExampleKeyAndNoKeyAreAcceptedAndOthersAreNot() async throws {
        let keys = AuroraKeys(keys: [AuroraKeys.example], allowsMissing: true)
        try await withHub(keys: keys) { hub in
            try await hub.applyOvation()
            #expect(await hub.get("/api/aurora/now").head.status == 200)
            let example: HTTPHeaders = ["X-API-Key": AuroraKeys.example]
            #expect(await hub.get("/api/aurora/now", example).head.status == 200)
            let wrong: HTTPHeaders = ["X-API-Key": "wrong"]
            #expect(await hub.get("/api/aurora/now", wrong).head.status == 403)
        }
    }

    @Test func withoutConfiguredKeysNobodyIsAdmitted() async throws {
        try await withHub(keys: AuroraKeys(keys: [], allowsMissing: false)) { hub in
            #expect(await hub.get("/api/aurora/now").head.status == 401)
            #expect(await hub.get("/api/aurora/now", ["X-API-Key": ""]).head.status == 403)
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
                let location = try #require(try fields(await hub.get(target, key))["location"])
                let place = try JSONReader.fields(of: location).first { $0.key == "name" }
                #expect(place.flatMap { JSONReader.string($0.value) } == name, "\(target)")
            }
        }
    }

    @Test(arguments: ["nowhere", "", "Tromso"])
    func unknownPlaceIsNotFound(id: String) async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            let response = await hub.get("/api/aurora/now?place=\(id)", key)
            #expect(response.head.status == 404)
            #expect(try text(response, "message") == "No place '\(id)' is configured.")
        }
    }

    @Test func answerToALongPlaceIsShort() async throws {
        try await withHub { hub in
            let target = "/api/aurora/now?place=" + String(repeating: "x", count: 5000)
            let response = await hub.get(target, key)
            #expect(response.head.status == 404)
            #expect(response.body.count < 200)
        }
    }

    @Test(
        arguments: [
            (nil, "nb"), ("nb", "nb"), ("no", "nb"), ("nn-NO", "nb"), ("en", "en"), ("en-GB", "en"),
            ("EN", "en"), ("de", "nb"), ("*", "nb"), ("", "nb"), ("de, en;q=0.8", "en"),
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
            #expect(response.head.headers.first("Content-Language") == language)
            let conditions = try #require(hub.service.derivation(of: "tromso")).conditions
            let expected = try #require(Language(rawValue: language))
            #expect(try text(response, "headline") == conditions.headline(expected))
        }
    }

    @Test func explanationTellsWhereTheScoreComesFrom() async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            let response = await hub.get("/api/aurora/now?explain=1", key)
            #expect(response.head.status == 200)
            #expect(response.head.headers.first("Cache-Control") == "no-store")
            let keys = try fields(response).keys
            #expect(keys.contains("factors"))
            #expect(keys.contains("missing"))
            #expect(keys.contains("limiting_factor"))
            #expect(await hub.get("/api/aurora/now?explain=1").head.status == 401)
        }
    }

    // MARK: Health

    @Test func liveIsWhoeverAnswers() async throws {
        try await withHub { hub throws in
            let response = await hub.get("/livez")
            #expect(response.head.status == 200)
            #expect(try text(response, "status") == "alive")
        }
    }

    @Test func readyIsWhoHasNoReasonNotToBe() async throws {
        try await withHub { hub throws in
            let before = await hub.get("/readyz")
            #expect(before.head.status == 503)
            #expect(try text(before, "status") == "not ready")
            #expect(try text(before, "reason") == "starting")
            hub.readiness.set(nil, part: "hub")
            let after = await hub.get("/readyz")
            #expect(after.head.status == 200)
            #expect(try JSONReader.fields(of: after.body[...]).map(\.key) == ["status"])
            #expect(try text(after, "status") == "ready")
            hub.readiness.set("shutting down", part: "hub")
            hub.readiness.set("disk full", part: "disk")
            #expect(try text(await hub.get("/readyz"), "reason") == "disk full; shutting down")
        }
    }

    private func machine(_ name: String) -> FeedMachine {
        FeedMachine(
            name: name,
            policy: FeedPolicy(interval: .seconds(60)),
            validators: FeedValidators(),
            now: RoutesTests.start,
            random: 0
        )
    }

    @Test func healthNamesEveryFeedAndWhatItLastFailedOf() async throws {
        try await withHub { hub in
            hub.readiness.set(nil, part: "hub")
            var good = machine("b.good")
            _ = good.start(now: RoutesTests.start)
            _ = good.finish(FeedResponse(status: 200), now: RoutesTests.start, random: 0)
            good.accepted(now: RoutesTests.start, random: 0)
            hub.board.update(good)
            let response = await hub.get("/api/health")
            #expect(response.head.status == 200)
            #expect(try text(response, "status") == "healthy")
            #expect(try raw(response, "problems") == "[]")
            #expect(try text(response, "version") == "1.2.3")
            #expect(try fields(response)["replay"].map(Array.init) == Array("true".utf8))

            var bad = machine("a.bad")
            _ = bad.start(now: RoutesTests.start)
            _ = bad.finish(FeedResponse(status: 500), now: RoutesTests.start, random: 0)
            hub.board.update(bad)
            let degraded = await hub.get("/api/health")
            #expect(degraded.head.status == 200, "the hub serves its last good state")
            #expect(try text(degraded, "status") == "degraded")
            let problems = try raw(degraded, "problems")
            #expect(problems == #"[{"part":"feed a.bad","reason":"status 500"}]"#)
            let feeds = try JSONReader.elements(of: try #require(try fields(degraded)["feeds"]))
                .map { try JSONReader.fields(of: $0) }
            #expect(
                feeds.first?.map(\.key) == [
                    "name", "status", "stale", "last_success", "age_seconds", "data_time",
                    "consecutive_failures", "last_failure", "next_attempt",
                ]
            )
            let names = feeds.map { $0.first.flatMap { JSONReader.string($0.value) } }
            #expect(names == ["a.bad", "b.good"])
            let failure = feeds.first?.first { $0.key == "last_failure" }
            #expect(failure.flatMap { JSONReader.string($0.value) } == "status 500")
        }
    }

    @Test func healthNamesThePartThatObjects() async throws {
        try await withHub { hub async throws in
            let response = await hub.get("/api/health")
            #expect(try text(response, "status") == "degraded")
            #expect(try raw(response, "problems") == #"[{"part":"hub","reason":"starting"}]"#)
        }
    }

    private func raw(_ response: ServerResponse, _ name: String) throws -> String? {
        try fields(response)[name].map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func healthCountsWebhooksThatWait() async throws {
        try await withHub { hub in
            let delivery = NewDelivery(
                endpoint: "pager",
                messageID: "one",
                eventType: "test",
                subject: nil,
                body: [],
                createdAt: HubClock.wall
            )
            _ = try await hub.store.commit(Change(deliveries: [delivery]))
            let response = await hub.get("/api/health")
            #expect(
                try fields(response)["webhooks"].map { String(decoding: $0, as: UTF8.self) }
                    == #"{"pending":1,"failed":0}"#
            )
        }
    }

    // MARK: Every request

    @Test(arguments: ["given-id", "~", String(repeating: "x", count: 128)])
    func requestIDOfTheCallerIsEchoed(id: String) async throws {
        try await withHub { hub in
            for target in ["/livez", "/nowhere"] {
                let response = await hub.get(target, ["X-Request-ID": id])
                #expect(response.head.headers.all("X-Request-ID") == [id])
            }
        }
    }

    @Test(arguments: ["", "two words", "blåbær", "tab\t", String(repeating: "x", count: 129)])
    func requestIDThatIsNoneIsReplaced(id: String) async throws {
        try await withHub { hub throws in
            let response = await hub.get("/livez", ["X-Request-ID": id])
            let ids = response.head.headers.all("X-Request-ID")
            #expect(ids.count == 1)
            #expect(try #require(ids.first.flatMap(UUID.init(uuidString:))).uuidString.count == 36)
        }
    }

    @Test func everyRequestGetsAnIDOfItsOwn() async throws {
        try await withHub { hub in
            var ids: Set<String> = []
            for _ in 0..<3 {
                ids.insert(
                    try #require(await hub.get("/livez").head.headers.first("X-Request-ID"))
                )
            }
            #expect(ids.count == 3)
        }
    }

    @Test(arguments: [
        "/", "/api", "/api/aurora", "/api/aurora/", "/api/aurora/now/more", "/livez2", "*",
    ])
    func unknownPathIsNotFound(target: String) async throws {
        try await withHub { hub in
            #expect(await hub.get(target, key).head.status == 404)
        }
    }

    private static let paths = [
        "/livez", "/readyz", "/api/health", "/api/aurora/now", "/api/aurora/tonight",
        "/api/aurora/hourly", "/api/aurora/forecast", "/api/aurora/oval",
    ]

    @Test(arguments: paths, ["POST", "PUT", "PATCH", "DELETE", "TRACE", "get"])
    func methodThatNoRouteHasIsNotAllowed(path: String, method: String) async throws {
        try await withHub { hub in
            let response = await hub.send(method, path + "?a=b", key)
            #expect(response.head.status == 405)
            #expect(response.head.headers.all("Allow") == ["GET, HEAD, OPTIONS"])
            let text = String(decoding: response.body, as: UTF8.self)
            let told = "methods here are GET, HEAD, OPTIONS"
            guard path.hasPrefix("/api/aurora/") else { return #expect(text == "the \(told)\n") }
            let form = #"{"error":"Method Not Allowed","message":"The \#(told)."}"#
            #expect(text == form)
        }
    }

    @Test(arguments: paths + ["*"])
    func methodsOfAPathAreTold(path: String) async throws {
        try await withHub { hub in
            // Without the key: a preflight cannot have it.
            let response = await hub.send("OPTIONS", path)
            #expect(response.head.status == 204)
            // The server API takes POST.
            let allowed = path == "*" ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS"
            #expect(response.head.headers.all("Allow") == [allowed])
            #expect(response.body.isEmpty)
        }
    }

    @Test(arguments: ["POST", "OPTIONS", "HEAD", "DELETE"])
    func pathThatNoRouteHasIsNotFoundWhateverTheMethod(method: String) async throws {
        try await withHub { hub in
            let response = await hub.send(method, "/nowhere")
            #expect(response.head.status == 404)
            #expect(!response.head.headers.contains("Allow"))
        }
    }

    @Test(arguments: [
        "http://hub.example.org/livez", "https://hub.example.org:8443/livez",
        "HTTP://other.example/livez?a=b",
    ])
    func absoluteFormLeadsToTheSameRoute(target: String) async throws {
        try await withHub { hub in
            #expect(await hub.get(target, ["Host": "hub.example.org"]).head.status == 200)
        }
    }

    @Test func queryOfAnAbsoluteFormIsRead() async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            let response = await hub.get("http://h/api/aurora/now?place=nowhere", key)
            #expect(try text(response, "message") == "No place 'nowhere' is configured.")
        }
    }

    @Test func headIsAnsweredAsGet() async throws {
        try await withHub { hub in
            let get = await hub.get("/livez")
            let head = await hub.send("HEAD", "/livez")
            #expect(head.head.status == 200)
            #expect(head.body == get.body, "whoever sends it leaves the body out")
        }
    }
}

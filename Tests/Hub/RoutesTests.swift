import API
import Aurora
import Expectations
import Foundation
import HubTesting
import Repository

@testable import AuroraApp
@testable import Hub

@Suite("Routes: requests without sockets", .timeLimit(.minutes(10)))
struct RoutesTests {
    /// On the evening of the OVATION grid that is recorded as active.
    static let start = Timestamp(iso8601: "2024-12-09T17:10:00Z")!
    let key: HTTPHeaders = ["X-API-Key": "right-key"]

    /// The routes of a hub, with what a test changes behind them.
    struct Hub {
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

    func withHub(
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
            let api = AuroraRoutes(
                service: service,
                keys: keys,
                documentationScheme: "http"
            )
            routes.beside(AuroraRoutes.routes) { api.respond(to: $0) }
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

    func fields(_ response: ServerResponse) throws -> [String: ArraySlice<UInt8>] {
        let fields = try JSONReader.fields(of: response.body[...])
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.key, $0.value) })
    }

    func text(_ response: ServerResponse, _ key: String) throws -> String? {
        try fields(response)[key].flatMap { JSONReader.string($0) }
    }

    // MARK: Every request

    @Test(arguments: ["given-id", "~", String(repeating: "x", count: 128)])
    func requestIDOfTheCallerIsEchoed(id: String) async throws {
        try await withHub { hub in
            for target in ["/livez", "/nowhere"] {
                let response = await hub.get(target, ["X-Request-ID": id])
                expectEqual(response.head.headers.all("X-Request-ID"), [id])
            }
        }
    }

    @Test(arguments: ["", "two words", "blåbær", "tab\t", String(repeating: "x", count: 129)])
    func requestIDThatIsNoneIsReplaced(id: String) async throws {
        try await withHub { hub throws in
            let response = await hub.get("/livez", ["X-Request-ID": id])
            let ids = response.head.headers.all("X-Request-ID")
            expectEqual(ids.count, 1)
            try expectEqual(require(ids.first.flatMap(UUID.init(uuidString:))).uuidString.count, 36)
        }
    }

    @Test func everyRequestGetsAnIDOfItsOwn() async throws {
        try await withHub { hub in
            var ids: Set<String> = []
            for _ in 0..<3 {
                ids.insert(
                    try await require(hub.get("/livez").head.headers.first("X-Request-ID"))
                )
            }
            expectEqual(ids.count, 3)
        }
    }

    @Test(arguments: [
        "/", "/api", "/api/aurora", "/api/aurora/", "/api/aurora/now/more", "/livez2", "*",
    ])
    func unknownPathIsNotFound(target: String) async throws {
        try await withHub { hub in
            await expectEqual(hub.get(target, key).head.status, 404)
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
            expectEqual(response.head.status, 405)
            expectEqual(response.head.headers.all("Allow"), ["GET, HEAD, OPTIONS"])
            let text = String(decoding: response.body, as: UTF8.self)
            let told = "methods here are GET, HEAD, OPTIONS"
            guard path.hasPrefix("/api/aurora/") else { return expectEqual(text, "the \(told)\n") }
            let form = #"{"error":"Method Not Allowed","message":"The \#(told)."}"#
            expectEqual(text, form)
        }
    }

    @Test(arguments: paths + ["*"])
    func methodsOfAPathAreTold(path: String) async throws {
        try await withHub { hub in
            // Without the key: a preflight cannot have it.
            let response = await hub.send("OPTIONS", path)
            expectEqual(response.head.status, 204)
            // The server API takes POST.
            let allowed = path == "*" ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS"
            expectEqual(response.head.headers.all("Allow"), [allowed])
            expect(response.body.isEmpty)
        }
    }

    @Test(arguments: ["POST", "OPTIONS", "HEAD", "DELETE"])
    func pathThatNoRouteHasIsNotFoundWhateverTheMethod(method: String) async throws {
        try await withHub { hub in
            let response = await hub.send(method, "/nowhere")
            expectEqual(response.head.status, 404)
            expect(!response.head.headers.contains("Allow"))
        }
    }

    @Test(arguments: [
        "http://hub.example.org/livez", "https://hub.example.org:8443/livez",
        "HTTP://other.example/livez?a=b",
    ])
    func absoluteFormLeadsToTheSameRoute(target: String) async throws {
        try await withHub { hub in
            await expectEqual(hub.get(target, ["Host": "hub.example.org"]).head.status, 200)
        }
    }

    @Test func queryOfAnAbsoluteFormIsRead() async throws {
        try await withHub { hub in
            try await hub.applyOvation()
            let response = await hub.get("http://h/api/aurora/now?place=nowhere", key)
            try expectEqual(text(response, "message"), "No place 'nowhere' is configured.")
        }
    }

    @Test func headIsAnsweredAsGet() async throws {
        try await withHub { hub in
            let get = await hub.get("/livez")
            let head = await hub.send("HEAD", "/livez")
            expectEqual(head.head.status, 200)
            expectEqual(head.body, get.body, "whoever sends it leaves the body out")
        }
    }
}

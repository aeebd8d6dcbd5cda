import AllDomains
import AuroraApp
import Expectations
import HubTesting

@testable import Hub

@Suite("Domains: from a configuration to routes", .timeLimit(.minutes(10)))
struct DomainsTests {
    /// The answer to a GET request of a hub with that configuration; nothing is polled.
    private func get(
        _ target: String,
        _ headers: HTTPHeaders = [:],
        configuration yaml: String,
        rows: [StateRow] = [],
        log: (StreamedLog.Line) -> Void = { _ in }
    ) async throws -> ServerResponse {
        let loaded = try LoadedConfiguration(
            file: (name: "varde.yaml", text: yaml),
            domains: allDomains.configurations
        )
        let credentials = try await Credentials.load(loaded)
        let client = UpstreamClient()
        let (logger, lines) = StreamedLog.make()
        let response = try await withTemporaryStore(migrations: allMigrations) { store in
            _ = try await store.commit(Change(state: rows))
            let hub = OpenedHub(
                loaded.configuration,
                try ConfiguredParts(loaded, environment: [:], domains: allDomains),
                credentials: credentials,
                store: store,
                clock: HubClock(.wall),
                client: client,
                logger: logger
            )
            let routes = try await HubParts(hub).routes(hub, access: .none)
            let head = HTTPRequestHead(target: target, headers: headers)
            return await RouteResponder(
                routes: routes,
                logger: logger
            )
            .respond(to: ServerRequest(head: head, body: [], peer: nil))
        }
        client.shutDown()
        if !rows.isEmpty, let line = await lines.first(where: { _ in true }) { log(line) }
        return response
    }

    private let aurora = "aurora:\n  user_agent: tests/1 a@b.example\n  api_keys: [secret-key]\n"

    @Test func domainThatIsOffHasNoRoutes() async throws {
        try await expectEqual(get("/api/aurora/now", configuration: "").head.status, 404)
        try await expectEqual(get("/livez", configuration: "").head.status, 200)
        try await expectEqual(get("/api/health", configuration: "").head.status, 200)
    }

    /// Whoever is let in hears that there is no data: 503.
    @Test(
        arguments: [
            (false, nil, 401), (false, "secret-key", 503), (false, AuroraKeys.example, 403),
            (true, nil, 503), (true, "secret-key", 503), (true, AuroraKeys.example, 503),
            (true, "wrong", 403),
        ] as [(Bool, String?, Int)]
    )
    func keysAreThoseOfTheConfigurationAndInDevelopmentTheExample(
        isDevelopment: Bool,
        key: String?,
        status: Int
    ) async throws {
        var headers: HTTPHeaders = [:]
        if let key { headers.append("X-API-Key", key) }
        let response = try await get(
            "/api/aurora/now",
            headers,
            configuration: "development: \(isDevelopment)\n" + aurora
        )
        expectEqual(response.head.status, status)
    }

    @Test func storedRowsThatAreNotUsedAreNamedInTheLog() async throws {
        let row = StateRow(domain: "aurora", key: "published:elsewhere", value: [1])
        var found: StreamedLog.Line?
        _ = try await get("/livez", configuration: aurora, rows: [row]) { found = $0 }
        expectEqual(found?.level, .notice)
        expectEqual(found?.metadata["rows"], #"["published:elsewhere"]"#)
    }
}

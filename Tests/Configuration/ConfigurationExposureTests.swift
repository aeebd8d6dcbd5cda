import Expectations

@testable import Configuration

@Suite("What a configuration leaves open", .timeLimit(.minutes(10)))
struct ConfigurationExposureTests {
    private func paths(
        _ yaml: String,
        environment: [String: String] = [:],
        hasAccounts: Bool = false
    ) throws -> [String] {
        try LoadedConfiguration(
            file: ("varde.yaml", yaml),
            environment: environment,
            domains: []
        )
        .exposures(hasAccounts: hasAccounts).map(\.path)
    }

    private static let open = """
        listen: ["0.0.0.0:8000"]

        """

    @Test func nothingIsOpenOnLoopback() throws {
        let yaml = """
            tokens: {secrets: [0123456789abcdef0123456789abcdef]}
            rates: {user: {commands: 0}}
            namespaces: [{name: chat, publish: anyone, anonymous_subscribe: true}]
            """
        try expect(paths(yaml).isEmpty)
    }

    @Test func defaultsLeaveOnlyTLSMonitoringAndAnonymousClientsOpen() throws {
        try expectEqual(paths(Self.open), ["tls", "admin.listen", "tokens.required"])
    }

    @Test func oneListenerThatOthersReachIsEnough() throws {
        let found = try paths(#"listen: ["127.0.0.1:8000", "[::]:8001"]"#)
        expect(found.contains("tls"))
    }

    @Test func openAccessIsFound() throws {
        let found = try paths(
            Self.open + """
                tokens: {public_keys: [a.pem]}
                http: {allowed_origins: ["*"]}
                namespaces:
                  - {name: closed}
                  - {name: chat, publish: anyone, anonymous_subscribe: true}
                """
        )
        expectEqual(
            found,
            [
                "tls", "admin.listen", "tokens.required", "tokens.require_exp",
                "namespaces[1].anonymous_subscribe", "namespaces[1].publish",
                "http.allowed_origins",
            ]
        )
    }

    @Test func tokensThatHaveToExpireAreNotOpen() throws {
        let found = try paths(
            Self.open + "tokens: {public_keys: [a.pem], required: true, require_exp: true}"
        )
        expectEqual(found, ["tls", "admin.listen"])
    }

    @Test(arguments: [
        ("rates: {user: {connects: 0}}", "rates.user.connects"),
        ("rates: {address: {publishes: 0}}", "rates.address.publishes"),
        ("limits: {connections_per_user: 0}", "limits.connections_per_user"),
        ("limits: {connections_per_address: 20000}", "limits.connections_per_address"),
    ])
    func boundThatIsSwitchedOffIsFound(yaml: String, path: String) throws {
        try expectEqual(paths(Self.open + yaml).last, path)
    }

    @Test func loginsMatterOnlyWhereThereAreLogins() throws {
        let yaml = Self.open + "rates: {address: {logins: 0}}"
        let path = "rates.address.logins"
        try expect(!paths(yaml).contains(path))
        try expect(paths(yaml, hasAccounts: true).contains(path))
    }

    @Test func secretsInTheFileAreFoundAndNotShown() throws {
        let yaml =
            Self.open + """
                tokens: {secrets: [0123456789abcdef0123456789abcdef]}
                api: {keys: ["sha256:00", a-key-as-it-is]}
                """
        let loaded = try LoadedConfiguration(
            file: ("varde.yaml", yaml),
            environment: [:],
            domains: []
        )
        let found = loaded.exposures(hasAccounts: false)
        let keys = ["tokens.secrets[0]", "api.keys[1]", "webhook_limits.secret_key_file"]
        expectEqual(found.map(\.path).suffix(3), keys)
        expect(!"\(found)".contains("abcdef") && !"\(found)".contains("a-key"))
    }

    @Test func secretsOfTheEnvironmentAreNotFound() throws {
        let secret = "0123456789abcdef0123456789abcdef"
        let found = try paths(Self.open, environment: ["VARDE_TOKEN_SECRET": secret])
        expect(!found.contains { $0.hasPrefix("tokens.secrets") })
        expect(found.contains("tokens.require_exp"))
    }
}

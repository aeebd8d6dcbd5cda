import Expectations

@testable import Configuration

@Suite("Secrets of the file that the environment replaces", .timeLimit(.minutes(10)))
struct ReplacedSecretsTests {
    private static let key = "a-key-of-enough-bytes"
    private static let secret = "0123456789abcdef0123456789abcdef"

    private func replaced(_ yaml: String, _ environment: [String: String]) throws -> [String] {
        let loaded = try LoadedConfiguration(
            file: ("varde.yaml", yaml),
            environment: environment,
            domains: []
        )
        let text = loaded.replacedSecrets.map(\.description)
        expect(!"\(text)".contains(Self.key) && !"\(text)".contains(Self.secret))
        return text
    }

    @Test func variableThatReplacesKeysOfTheFileIsReported() throws {
        let yaml = """
            tokens: {secrets: [\(Self.secret), \(Self.secret)1]}
            api: {keys: [\(Self.key)]}
            """
        let environment = [
            "VARDE_API_KEY": "another-key-of-enough-bytes",
            "VARDE_TOKEN_SECRET": "another secret of at least 32 bytes",
        ]
        try expectEqual(
            replaced(yaml, environment),
            [
                "tokens.secrets: VARDE_TOKEN_SECRET replaces the 2 of varde.yaml:1:19, which are"
                    + " not accepted; unset the variable, or remove them",
                "api.keys: VARDE_API_KEY replaces the 1 of varde.yaml:2:13, which is"
                    + " not accepted; unset the variable, or remove them",
            ]
        )
    }

    @Test(arguments: [
        "api: {keys: [{key: \(key), name: shop}]}", "api: {keys: [\(key), \(key)2]}",
    ])
    func anyOtherKeyCounts(yaml: String) throws {
        try expectEqual(replaced(yaml, ["VARDE_API_KEY": Self.key + "3"]).count, 1)
    }

    @Test(
        arguments: [
            ("", ["VARDE_API_KEY": key]), ("api: {keys: [\(key)]}", [:]),
            ("api: {keys: [\(key)]}", ["VARDE_API_KEY": ""]),
            ("api: {keys: [\(key)]}", ["VARDE_API_KEY": key]),
            ("tokens: {secrets: [\(secret)]}", ["VARDE_API_KEY": key]),
        ] as [(String, [String: String])]
    )
    func nothingIsReplaced(yaml: String, environment: [String: String]) throws {
        try expect(replaced(yaml, environment).isEmpty)
    }
}

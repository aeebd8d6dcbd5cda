import AllDomains
import Expectations

/// Secrets, and URLs that may have one, are of types whose text may be elsewhere: in a file, a variable, a
/// credential.
@Suite("Configuration: secrets", .timeLimit(.minutes(10)))
struct ConfigurationSecretsTests {
    private static let reference = "`{file: PATH}`, `{env: NAME}` or `{credential: NAME}`"

    /// A key that is added here is documented with the mechanism, because its type has it.
    @Test func everySecretMayBeElsewhere() {
        let found = ConfigurationSchema.whole.keys
            .filter { $0.type.contains(Self.reference) }
            .map(\.path)
        expectEqual(found, Self.expected)
    }

    /// A key whose name sounds like a secret is one, or is the place of one.
    @Test func noKeyThatIsNamedLikeASecretIsAText() {
        let words = ["secret", "password", "token", "passphrase"]
        let places = ["_file", "_env"]
        let suspects = ConfigurationSchema.whole.keys.filter { key in
            let name = key.path.split(separator: ".").last.map(String.init) ?? ""
            return words.contains { name.contains($0) } && !places.contains { name.hasSuffix($0) }
                && key.type.hasPrefix("text")
        }
        expectEqual(suspects.map(\.path), [])
    }

    private static let expected: [String] = [
        "tls.key_password", "tls.certificates[].key_password", "tokens.secrets", "api.keys",
        "aurora.api_keys", "radar.sources[].url", "radar.sources[].key", "news.sources[].url",
        "news.sources[].key", "news.app_keys", "news.writer.url", "news.writer.key",
        "hooks[].url", "hooks[].secret", "webhooks[].url", "webhooks[].secret",
        "webhook_limits.secret_key",
    ]
}

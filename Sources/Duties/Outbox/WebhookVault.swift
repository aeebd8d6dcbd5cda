import Configuration

/// Seals the secrets of webhooks that were created through the API, so that a copy of the database
/// is of no use without the key. Without a key, they stay in plaintext.
///
/// A sealed text is `sealed1_` and the base64 of `Sealing.seal`. It belongs to one field of one
/// endpoint, and cannot be opened for another.
package struct WebhookVault: Sendable {
    package static let prefix = "sealed1_"
    /// As for other secrets: the minimum length of the text, in bytes, from a random generator.
    package static let keyBytesMin = 32

    /// A key of `Sealing.keyLength` bytes; nil to store secrets in plaintext.
    private let key: [UInt8]?

    /// - Parameter secret: of at least `keyBytesMin` bytes, or nil.
    package init(secret: Secret?) {
        // The name separates this key from others that are derived from the same text.
        key = secret.map {
            hmacSHA256(key: Array($0.revealed.utf8), message: Array("varde webhook secrets".utf8))
        }
    }

    package var hasKey: Bool { key != nil }

    package static func isSealed(_ text: String) -> Bool { text.hasPrefix(prefix) }

    package func seal(_ text: String, _ field: String, of endpoint: String) -> String {
        guard let key else { return text }
        let sealed = Sealing.seal(
            Array(text.utf8),
            key: key,
            context: WebhookVault.context(field, endpoint)
        )
        return WebhookVault.prefix + base64(sealed)
    }

    /// - Throws: `WebhookVaultError` if the text is sealed and this key does not open it.
    package func open(
        _ text: String,
        _ field: String,
        of endpoint: String
    ) throws(WebhookVaultError) -> String {
        guard WebhookVault.isSealed(text) else { return text }
        guard let key else { throw .noKey(endpoint) }
        guard let sealed = bytes(base64: text.dropFirst(WebhookVault.prefix.count)),
            let opened = Sealing.open(
                sealed,
                key: key,
                context: WebhookVault.context(field, endpoint)
            )
        else { throw .wrongKey(endpoint) }
        return String(decoding: opened, as: UTF8.self)
    }

    private static func context(_ field: String, _ endpoint: String) -> [UInt8] {
        Array("\(endpoint) \(field)".utf8)
    }
}

/// Why the hub does not start with the secrets in its store.
package enum WebhookVaultError: Error, Equatable, CustomStringConvertible {
    case noKey(String)
    case wrongKey(String)

    package var description: String {
        switch self {
        case .noKey(let endpoint):
            "the secret of webhook \(endpoint) is sealed in the store, and no key is configured:"
                + " set webhook_limits.secret_key_file or secret_key_env"
        case .wrongKey(let endpoint):
            "the key of webhook_limits.secret_key_file or secret_key_env does not open the secret of"
                + " webhook \(endpoint): it is another key than the one that sealed it"
        }
    }
}

/// The hub's key pair for one endpoint, for receivers that would rather check with a public key than share a
/// secret: `whsk_` and `whpk_`, each with the base64 of 32 bytes.
///
/// Neither description nor reflection shows the secret half; only `revealed` does.
///
/// Source: Standard Webhooks, "Asymmetric".
package struct WebhookSigningKey: Sendable {
    package static let prefix = "whsk_"
    package static let publicPrefix = "whpk_"

    private let key: Ed25519Key

    /// - Parameter seed: 32 bytes of a random generator.
    package init(seed: [UInt8]) {
        key = Ed25519Key(seed: seed)
    }

    /// Nil for a text that `revealed` does not write.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix),
            let seed = bytes(base64: text.dropFirst(Self.prefix.count)),
            seed.count == Ed25519Key.seedLength
        else { return nil }
        self.init(seed: seed)
    }

    package static func random() -> WebhookSigningKey {
        WebhookSigningKey(seed: randomBytes(Ed25519Key.seedLength))
    }

    /// The public key with which a receiver checks signatures; not secret.
    package var publicText: String { Self.publicPrefix + base64(key.publicKey) }

    /// The secret half, for the store.
    package var revealed: String { Self.prefix + base64(key.seed) }

    /// `v1a,` and the base64 of the signature of `id.timestamp.body`; see `WebhookSecret.signature`.
    package func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
        precondition(isWebhookID(id))
        let message = Array("\(id).\(timestamp).".utf8) + body
        return "v1a," + base64(key.signature(of: message))
    }
}

extension WebhookSigningKey: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package var description: String { Self.prefix + "…" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

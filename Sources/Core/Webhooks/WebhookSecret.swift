// Webhooks: recipients, signatures, retries and order of deliveries.

/// The key that one endpoint shares with the hub: `whsec_` and 24 to 64 bytes in base64.
///
/// Neither description nor reflection shows the key; only `revealed` does.
///
/// Source: Standard Webhooks, "Symmetric".
package struct WebhookSecret: Sendable {
    package static let prefix = "whsec_"
    package static let keyLengths = 24...64
    /// The length of the keys that we make.
    package static let newKeyLength = 32

    let key: [UInt8]

    /// A secret around `key`, which comes from a random generator; its length must be in
    /// `keyLengths`.
    package init(key: [UInt8]) {
        precondition(Self.keyLengths.contains(key.count))
        self.key = key
    }

    package init(_ text: String) throws(WebhookSecretError) {
        guard text.hasPrefix(Self.prefix) else { throw .missingPrefix }
        guard let key = bytes(base64: text.dropFirst(Self.prefix.count)) else { throw .notBase64 }
        guard Self.keyLengths.contains(key.count) else { throw .badLength(key.count) }
        self.key = key
    }

    /// The secret as its owner gets to see it, once.
    package var revealed: String { Self.prefix + base64(key) }
}

extension WebhookSecret: Equatable {
    package static func == (left: WebhookSecret, right: WebhookSecret) -> Bool {
        isEqualInConstantTime(left.key, right.key)
    }
}

extension WebhookSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { Self.prefix + "…" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a text is not a secret. Says nothing of the text itself.
package enum WebhookSecretError: Error, Equatable, CustomStringConvertible {
    case missingPrefix
    case notBase64
    case badLength(Int)

    package var description: String {
        switch self {
        case .missingPrefix:
            "webhook secret does not begin with '\(WebhookSecret.prefix)'"
        case .notBase64:
            "webhook secret is not base64 with padding after '\(WebhookSecret.prefix)'"
        case .badLength(let length):
            "webhook secret has \(length) bytes, not \(WebhookSecret.keyLengths.lowerBound)"
                + " to \(WebhookSecret.keyLengths.upperBound)"
        }
    }
}

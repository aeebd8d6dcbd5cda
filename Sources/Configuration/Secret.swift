/// A text that is never shown: it is missing in the description and in reflection, and only
/// `revealed` has it.
package struct Secret: Equatable, Sendable {
    package let revealed: String

    package init(_ text: String) {
        revealed = text
    }

    package static let mask = "********"
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { Secret.mask }
    package var debugDescription: String { Secret.mask }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The source of the signing secret of a webhook.
package enum SecretSource: Equatable, Sendable {
    case text(Secret)
    case file(String)
    case environment(String)

    /// Loads the secret.
    ///
    /// - Parameter readFile: returns the file's text; nil if it cannot be read. White space around
    ///   the secret is removed.
    /// - Returns: nil if there is no secret.
    package func load(
        environment: [String: String],
        readFile: (String) -> String?
    ) -> Secret? {
        let text: String?
        switch self {
        case .text(let secret): return secret
        case .file(let name): text = readFile(name)
        case .environment(let name): text = environment[name]
        }
        guard let trimmed = text?.trimmed, !trimmed.isEmpty else { return nil }
        return Secret(String(trimmed))
    }
}

extension StringProtocol {
    /// The text without the white space at both ends.
    package var trimmed: SubSequence {
        let start = drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
        return start[...end]
    }
}

extension Configuration.Webhook {
    /// The source of the secret. A checked webhook has exactly one.
    package var secretSource: SecretSource? {
        if let secret { return .text(secret) }
        if let secretFile { return .file(secretFile) }
        return secretEnvironment.map(SecretSource.environment)
    }
}

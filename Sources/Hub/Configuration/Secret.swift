/// A text that is shown to nobody: neither description nor reflection has it, only `revealed`.
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

/// Where the signing secret of a webhook stands.
package enum SecretSource: Equatable, Sendable {
    case text(Secret)
    case file(String)
    case environment(String)

    /// Looks the secret up.
    ///
    /// - Parameter readFile: the file's text; nil when it cannot be read. White space around the
    ///   secret is not part of it.
    /// - Returns: nil when there is nothing.
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
    /// Without the white space at both ends.
    package var trimmed: SubSequence {
        let start = drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
        return start[...end]
    }
}

extension Configuration.Webhook {
    /// Where the secret stands. A webhook that was checked has exactly one.
    package var secretSource: SecretSource? {
        if let secret { return .text(secret) }
        if let secretFile { return .file(secretFile) }
        return secretEnvironment.map(SecretSource.environment)
    }
}

import Configuration

extension SecretSource {
    /// Looks up the key of a provider. A key is visible ASCII, so that it can be part of a header.
    ///
    /// - Parameters:
    ///   - readFile: returns the text of a file; nil if it cannot be read.
    ///   - report: receives the configuration key to blame, relative to the source (`key`,
    ///     `key_file` or `key_env`), and what is wrong with its value.
    /// - Returns: nil after a report.
    package func providerKey(
        environment: [String: String],
        readFile: (String) -> String?,
        report: (_ path: String, _ message: String) -> Void
    ) -> Secret? {
        guard let key = load(environment: environment, readFile: readFile) else {
            report(keyName, "nothing found where the key should be")
            return nil
        }
        guard key.revealed.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            report(keyName, "found a text that is no key, expected ASCII without spaces")
            return nil
        }
        return key
    }

    private var keyName: String {
        switch self {
        case .text: "key"
        case .file: "key_file"
        case .environment: "key_env"
        }
    }
}

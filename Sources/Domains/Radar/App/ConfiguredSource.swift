import Configuration

/// A source of opinions as it is configured, with the key that was found for it.
package struct ConfiguredSource: Sendable {
    package let settings: RadarSection.Source
    /// Nil where none is needed. Visible ASCII, so that it can stand in a header.
    package let key: Secret?

    /// - Parameters:
    ///   - settings: without contradictions, as the configuration's reader leaves them.
    ///   - readFile: the text of a file; nil when it cannot be read.
    ///   - report: is told the key to blame, relative to the source, and what is wrong with its value.
    /// - Returns: nil after a report.
    package init?(
        _ settings: RadarSection.Source,
        environment: [String: String],
        readFile: (String) -> String?,
        report: (_ path: String, _ message: String) -> Void
    ) {
        self.settings = settings
        guard let source = settings.keySource else {
            key = nil
            return
        }
        let name =
            switch source {
            case .text: "key"
            case .file: "key_file"
            case .environment: "key_env"
            }
        guard let key = source.load(environment: environment, readFile: readFile) else {
            report(name, "nothing found where the key should be")
            return nil
        }
        guard key.revealed.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            report(name, "found a text that is no key, expected ASCII without spaces")
            return nil
        }
        self.key = key
    }
}

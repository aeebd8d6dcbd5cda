import DomainKit

/// A source of opinions as it is configured, with the key that was found for it.
package struct ConfiguredSource: Sendable {
    package let settings: RadarSection.Source
    /// Nil if none is needed. Visible ASCII, so that it fits into a header.
    package let key: Secret?

    /// - Parameters:
    ///   - settings: without contradictions, as checked by the configuration's reader.
    ///   - readFile: the text of a file; nil if it cannot be read.
    ///   - report: called with the key, relative to the source, and the error in its value.
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
        guard
            let key = source.providerKey(
                environment: environment,
                readFile: readFile,
                report: report
            )
        else { return nil }
        self.key = key
    }
}

import DomainKit

/// The writer of the configuration with its key.
package struct ConfiguredWriter: Sendable {
    package let settings: NewsSection.Writer
    package let model: any ToolModel

    /// - Parameters:
    ///   - settings: checked by the reader of the configuration, without contradictions.
    ///   - readFile: returns the text of a file; nil when it cannot be read.
    ///   - report: receives the invalid configuration key, relative to the writer, and the error in
    ///     its value.
    /// - Returns: nil after a report.
    package init?(
        _ settings: NewsSection.Writer,
        environment: [String: String],
        readFile: (String) -> String?,
        report: (_ path: String, _ message: String) -> Void
    ) {
        var key: ProviderKey?
        if let source = settings.keySource {
            guard
                let found = source.providerKey(
                    environment: environment,
                    readFile: readFile,
                    report: report
                )
            else { return nil }
            key = ProviderKey(found.revealed)
        }
        let url = settings.effectiveURL ?? settings.kind.url
        guard let model = settings.kind.model(settings.model, key: key, url: url) else {
            preconditionFailure("the configuration was checked: \(settings.kind) without a key")
        }
        self.settings = settings
        self.model = model
    }

    package init(_ settings: NewsSection.Writer, model: any ToolModel) {
        self.settings = settings
        self.model = model
    }

    var policy: SourcePolicy {
        SourcePolicy(
            concurrencyMax: ConfiguredWriter.concurrencyMax,
            dailyTokensMax: settings.dailyTokens,
            dailyRequestsMax: settings.dailyRequests,
            userSharePercent: settings.userSharePercent
        )
    }

    /// Concurrent requests for texts that no user waits for. Providers limit the rate of small
    /// accounts.
    static let backgroundConcurrencyMax = 2
    /// One more than in the background, so that background requests do not delay users.
    static let concurrencyMax = backgroundConcurrencyMax + 1
}

/// The sources of a process's configuration, from which it can be read again.
package struct ConfigurationSource: Sendable {
    /// Nil if there is no file.
    package var path: String?
    package var environment: [String: String]
    package var flags: ConfigurationFlags
    package let domains: [DomainConfiguration]

    package init(
        path: String?,
        environment: [String: String] = [:],
        flags: ConfigurationFlags = ConfigurationFlags(),
        domains: [DomainConfiguration]
    ) {
        self.path = path
        self.environment = environment
        self.flags = flags
        self.domains = domains
    }

    /// Whether the log is in JSON, as far as that can be known of a configuration that is refused: by
    /// the flag, else the environment variable, else the line of the file.
    package var namesJSONLog: Bool {
        let variable = environment["VARDE_LOG_FORMAT"].flatMap { $0.isEmpty ? nil : $0 }
        let named = flags.logFormat ?? variable ?? formatInFile
        return named == Configuration.LogFormat.json.rawValue
    }

    private var formatInFile: String? {
        let lengthMax = LoadedConfiguration.fileBytesMax
        // A pipe is no configuration, and opening it would wait for a writer.
        guard let path, !isPipe(path), let text = try? text(ofFile: path, lengthMax: lengthMax)
        else { return nil }
        let key = "log_format:"
        guard let line = text.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix(key) })
        else { return nil }
        let value = line.dropFirst(key.count).prefix { $0 != "#" }
        return value.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" }
    }

    package func load() throws(ConfigurationError) -> LoadedConfiguration {
        try LoadedConfiguration.load(
            path: path,
            environment: environment,
            flags: flags,
            domains: domains
        )
    }
}

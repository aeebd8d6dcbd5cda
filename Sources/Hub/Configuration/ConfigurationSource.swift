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

    package func load() throws(ConfigurationError) -> LoadedConfiguration {
        try LoadedConfiguration.load(
            path: path,
            environment: environment,
            flags: flags,
            domains: domains
        )
    }
}

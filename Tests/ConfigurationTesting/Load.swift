import Configuration

/// Loads `yaml` as the file varde.yaml.
///
/// - Parameter domains: those whose sections the file may have.
package func load(
    _ yaml: String,
    domains: [DomainConfiguration] = [],
    environment: [String: String] = [:],
    flags: ConfigurationFlags = ConfigurationFlags()
) throws -> LoadedConfiguration {
    try LoadedConfiguration(
        file: (name: "varde.yaml", text: yaml),
        environment: environment,
        flags: flags,
        domains: domains
    )
}

/// The problems with `yaml` as the file varde.yaml, each with its place.
package func problems(
    _ yaml: String,
    domains: [DomainConfiguration] = [],
    environment: [String: String] = [:],
    flags: ConfigurationFlags = ConfigurationFlags()
) -> [String] {
    do {
        _ = try load(yaml, domains: domains, environment: environment, flags: flags)
        return []
    } catch let error as ConfigurationError {
        return error.problems.map(\.description)
    } catch {
        return ["\(error)"]
    }
}

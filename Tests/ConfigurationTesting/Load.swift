import Configuration

/// Loads `yaml` as the file varde.yaml.
package func load(
    _ yaml: String,
    environment: [String: String] = [:],
    flags: ConfigurationFlags = ConfigurationFlags()
) throws -> LoadedConfiguration {
    try LoadedConfiguration(
        file: (name: "varde.yaml", text: yaml),
        environment: environment,
        flags: flags
    )
}

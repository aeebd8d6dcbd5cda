/// What it takes to go on with another configuration.
package enum ConfigurationChange: Equatable, Sendable {
    /// Nothing: the two are the same.
    case nothing
    /// The process goes on with these keys' values.
    case reload([String])
    /// These keys hold for the life of a process. Others may have changed, too.
    case needsRestart([String])

    package static func between(
        _ former: Configuration,
        _ latter: Configuration
    ) -> ConfigurationChange {
        var places: [ConfigurationPlace] = []
        Configuration.compare(former, latter, .root, &places)
        guard !places.isEmpty else { return .nothing }
        let fixed = places.filter { $0.reload == .restart }
        return fixed.isEmpty ? .reload(places.map(\.path)) : .needsRestart(fixed.map(\.path))
    }

    /// The keys and sections whose values a running hub can change.
    package static var reloadable: Set<String> { paths(.live) }

    /// The keys and sections whose values hold for the life of a process.
    package static var fixed: Set<String> { paths(.restart) }

    private static func paths(_ reload: ConfigurationReload) -> Set<String> {
        let keys = Configuration.schema().filter { $0.reload == reload }.map(\.path)
        let sections = Configuration.optionalSections().filter { $0.reload == reload }.map(\.path)
        return Set(keys + sections)
    }
}

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
        _ latter: Configuration,
        _ schema: ConfigurationSchema
    ) -> ConfigurationChange {
        let places = schema.differences(former, latter)
        guard !places.isEmpty else { return .nothing }
        let fixed = places.filter { $0.reload == .restart }
        return fixed.isEmpty ? .reload(places.map(\.path)) : .needsRestart(fixed.map(\.path))
    }
}

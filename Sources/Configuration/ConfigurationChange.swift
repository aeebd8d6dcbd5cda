/// The action needed to apply another configuration.
package enum ConfigurationChange: Equatable, Sendable {
    /// No action: the two are the same.
    case nothing
    /// The process applies the values of these keys.
    case reload([String])
    /// These keys apply for the life of a process. Other keys may have changed as well.
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

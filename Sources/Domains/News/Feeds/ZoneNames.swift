import CTables

/// The zones of the IANA time zone database, by name, with the rules that they have in our years.
///
/// A feed must not choose which files the hub opens, and small containers have none: so the names
/// are here. Dates of earlier rules may be off by an hour.
enum ZoneNames {
    /// Nil for a name that the database does not have.
    ///
    /// - Parameter name: in lower case, such as `europe/berlin`.
    static func zone(_ name: String) -> ClockZone? {
        rules[name].flatMap { ClockZone(name: name, rule: $0) }
    }

    /// By the names in lower case.
    private static let rules: [String: String] = {
        let table = WordTable(varde_zones())
        var rules: [String: String] = [:]
        for rule in table.sections {
            for zone in table.words(rule) { rules[zone.lowercased()] = rule }
        }
        return rules
    }()
}

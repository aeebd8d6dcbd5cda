/// Checks values after all layers are applied: required keys, and contradictory keys.
package struct ConfigurationChecker {
    package let origins: [String: ConfigurationOrigin]
    package private(set) var problems: [ConfigurationProblem] = []

    package init(origins: [String: ConfigurationOrigin]) {
        self.origins = origins
    }

    /// - Parameter isGiven: false for defaults, which are complete without any key.
    package mutating func section<Section: ConfigurationSection>(
        _ section: Section,
        _ path: String,
        isGiven: Bool = true
    ) {
        let prefix = path.isEmpty ? "" : path + "."
        let isComplete = fields(Section.fields, of: section, prefix, isGiven: isGiven)
        // The default of a missing required key could contradict keys, although the operator did
        // not set it.
        guard isComplete else { return }
        for (key, message) in section.contradictions() {
            refuse(prefix + key, message)
        }
    }

    /// Returns whether all required keys are there.
    ///
    /// - Parameter prefix: the prefix of the paths of the keys.
    @discardableResult
    mutating func fields<Values: ConfigurationValues>(
        _ fields: [ConfigurationField<Values>],
        of values: Values,
        _ prefix: String = "",
        isGiven: Bool = true
    ) -> Bool {
        var isComplete = true
        for field in fields {
            let path = prefix + field.name
            if isGiven, field.isRequired, origins[path] == nil {
                refuse(path, "found nothing, the key is required")
                isComplete = false
            }
            field.check(values, path, &self)
        }
        return isComplete
    }

    /// Whether the key at `path` was set.
    package func isGiven(_ path: String) -> Bool { origins[path] != nil }

    package mutating func refuse(_ path: String, _ message: String) {
        problems.append(ConfigurationProblem(at: path, origins: origins, message))
    }
}

extension ConfigurationProblem {
    /// Creates a problem with the key at `path`, located where that key was set, or else where the
    /// nearest enclosing section was set.
    package init(at path: String, origins: [String: ConfigurationOrigin], _ message: String) {
        var place = path[...]
        while origins[String(place)] == nil, !place.isEmpty {
            let end = place.lastIndex { $0 == "." || $0 == "[" } ?? place.startIndex
            place = place[..<end]
        }
        let origin = origins[String(place)] ?? .defaultValue
        self.init(location: origin.description, message: "\(path): \(message)")
    }
}

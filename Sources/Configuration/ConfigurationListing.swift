/// The effective configuration as YAML, each value with a comment that names its origin.
///
/// Secrets are masked. Keys without a value are omitted.
package struct ConfigurationListing {
    private static let originColumn = 44

    package let origins: [String: ConfigurationOrigin]
    package private(set) var text = ""
    private var depth = 0
    /// Whether the next line begins an element of a list.
    private var beginsElement = false

    package init(origins: [String: ConfigurationOrigin]) {
        self.origins = origins
    }

    package mutating func value(_ name: String, _ value: String, _ path: String) {
        line("\(name): \(value)", comment: (origins[path] ?? .defaultValue).description)
    }

    package mutating func section<Section: ConfigurationSection>(
        _ name: String,
        _ section: Section,
        _ path: String
    ) {
        line("\(name):", comment: nil)
        depth += 1
        keys(of: section, path)
        depth -= 1
    }

    package mutating func list<Section: ConfigurationSection>(
        _ name: String,
        _ items: [Section],
        _ path: String
    ) {
        guard !items.isEmpty else {
            value(name, "[]", path)
            return
        }
        line("\(name):", comment: nil)
        depth += 2
        for (index, item) in items.enumerated() {
            beginsElement = true
            keys(of: item, "\(path)[\(index)]")
        }
        depth -= 2
    }

    private mutating func keys<Section: ConfigurationSection>(of section: Section, _ path: String) {
        keys(Section.fields, of: section, path)
    }

    /// - Parameter path: empty for the configuration as a whole.
    package mutating func keys<Values: ConfigurationValues>(
        _ fields: [ConfigurationField<Values>],
        of values: Values,
        _ path: String
    ) {
        for field in fields {
            field.show(values, path.isEmpty ? field.name : "\(path).\(field.name)", &self)
        }
    }

    private mutating func line(_ content: String, comment: String?) {
        var line = String(repeating: "  ", count: depth)
        if beginsElement {
            line = line.dropLast(2) + "- "
            beginsElement = false
        }
        line += content
        if let comment {
            let padding = max(1, ConfigurationListing.originColumn - line.count)
            line += String(repeating: " ", count: padding) + "# \(comment)"
        }
        text += line + "\n"
    }
}

import Yams

extension ConfigurationField {
    /// Returns a list whose elements are either a scalar, or a mapping with that scalar at one key
    /// and with other keys.
    ///
    /// It is documented as one key, and compared as a whole, since the identity of an element may
    /// be secret.
    ///
    /// - Parameters:
    ///   - scalar: the key of the mapping whose value may be an element by itself.
    ///   - text: returns an element as YAML on one line, without secrets.
    package static func entries<Entry: ConfigurationSection, Value>(
        _ name: String,
        _ entries: WritableKeyPath<Section, [Entry]>,
        scalar: (key: String, value: WritableKeyPath<Entry, Value>, type: ScalarType<Value>),
        text: @escaping (Entry) -> String,
        counts: ClosedRange<Int>,
        reload: ConfigurationReload,
        meaning: String
    ) -> ConfigurationField {
        func list(_ section: Section) -> String {
            "[" + section[keyPath: entries].map(text).joined(separator: ", ") + "]"
        }
        return ConfigurationField(
            name: name,
            isRequired: false,
            schema: { path in
                let keys = Entry.fields.map(\.name).joined(separator: ", ")
                let element = "\(scalar.type.documentation), or `{\(keys)}`"
                return [
                    ConfigurationKey(
                        path: path,
                        type: "list of \(counts.lowerBound) to \(counts.upperBound): \(element)",
                        defaultText: list(Section()),
                        reload: reload,
                        meaning: meaning
                    )
                ]
            },
            read: { node, path, reader, section in
                guard let nodes = reader.list(node, path, of: scalar.type.name, counts: counts)
                else { return }
                section[keyPath: entries] = nodes.enumerated().compactMap { index, node in
                    entry(node, "\(path)[\(index)]", scalar, &reader)
                }
            },
            check: { section, path, checker in
                for (index, entry) in section[keyPath: entries].enumerated() {
                    let element = "\(path)[\(index)]"
                    // An element may be the scalar, which has no keys.
                    let isMapping = checker.isGiven("\(element).\(scalar.key)")
                    checker.section(entry, element, isGiven: isMapping)
                }
            },
            show: { section, path, listing in listing.value(name, list(section), path) },
            compare: { former, latter, place, found in
                guard former[keyPath: entries] != latter[keyPath: entries] else { return }
                found.append(place.with(reload))
            }
        )
    }

    private static func entry<Entry: ConfigurationSection, Value>(
        _ node: Node,
        _ path: String,
        _ scalar: (key: String, value: WritableKeyPath<Entry, Value>, type: ScalarType<Value>),
        _ reader: inout ConfigurationReader
    ) -> Entry? {
        var entry = Entry()
        // Any other mapping is a text with missing quotes. It may be secret, so no message repeats
        // it.
        guard case .mapping(let mapping) = node,
            mapping.contains(where: { $0.key.scalar?.string == scalar.key })
        else {
            guard let value = reader.scalar(node, path, scalar.type) else { return nil }
            entry[keyPath: scalar.value] = value
            return entry
        }
        reader.section(node, path, &entry)
        return entry
    }
}

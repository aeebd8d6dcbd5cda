import Yams

extension ConfigurationField {
    /// Returns a mapping whose keys are also values, such as `{"orders.*": app}`. It is documented as one key.
    package static func map(
        _ name: String,
        _ map: WritableKeyPath<Section, [String: String]>,
        keys: ScalarType<String>,
        values: ScalarType<String>,
        counts: ClosedRange<Int>,
        reload: ConfigurationReload,
        meaning: String
    ) -> ConfigurationField {
        func text(_ section: Section) -> String {
            let entries = section[keyPath: map].sorted { $0.key < $1.key }
                .map { "\(keys.text($0.key)): \(values.text($0.value))" }
            return "{" + entries.joined(separator: ", ") + "}"
        }
        return ConfigurationField(
            name: name,
            isRequired: false,
            schema: { path in
                [
                    ConfigurationKey(
                        path: path,
                        type: "mapping of \(keys.documentation) to \(values.documentation)",
                        defaultText: text(Section()),
                        reload: reload,
                        meaning: meaning
                    )
                ]
            },
            read: { node, path, reader, section in
                guard
                    let entries = reader.entries(node, path, keys: keys, values: values, counts)
                else { return }
                section[keyPath: map] = entries
            },
            show: { section, path, listing in listing.value(name, text(section), path) },
            compare: { former, latter, place, found in
                guard former[keyPath: map] != latter[keyPath: map] else { return }
                found.append(place.with(reload))
            }
        )
    }
}

extension ConfigurationReader {
    /// Reads a mapping; nil, with a problem, for another node or a wrong number of entries.
    fileprivate mutating func entries(
        _ node: Node,
        _ path: String,
        keys: ScalarType<String>,
        values: ScalarType<String>,
        _ counts: ClosedRange<Int>
    ) -> [String: String]? {
        guard case .mapping(let mapping) = node, counts.contains(mapping.count) else {
            refuse(
                node,
                path,
                "found \(found(node)), expected a mapping of \(counts.lowerBound) to"
                    + " \(counts.upperBound) entries, each a \(keys.name) and a \(values.name)"
            )
            return nil
        }
        var entries: [String: String] = [:]
        for (keyNode, valueNode) in mapping {
            guard let key = scalar(keyNode, path, keys),
                let value = scalar(valueNode, "\(path).\(key)", values)
            else { continue }
            entries[key] = value
        }
        return entries
    }
}

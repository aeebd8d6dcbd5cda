import Yams

extension ConfigurationField {
    /// The keys of the aurora endpoints: each a text, or a mapping with the key and its tier.
    ///
    /// Documented as one key, and compared as a whole: what tells the elements apart is secret.
    package static func auroraKeys(
        _ name: String,
        _ keys: WritableKeyPath<Section, [Configuration.AuroraKey]>,
        counts: ClosedRange<Int>,
        reload: ConfigurationReload,
        meaning: String
    ) -> ConfigurationField {
        let secret = ScalarType<Secret>.auroraKey
        let type = "\(secret.documentation), or `{key, tier}`"
        return ConfigurationField(
            name: name,
            isRequired: false,
            schema: { path in
                let list = "list of \(counts.lowerBound) to \(counts.upperBound): \(type)"
                let text = text(Section()[keyPath: keys])
                return [
                    ConfigurationKey(
                        path: path,
                        type: list,
                        defaultText: text,
                        reload: reload,
                        meaning: meaning
                    )
                ]
            },
            read: { node, path, reader, section in
                guard let nodes = reader.list(node, path, of: "secret", counts: counts) else {
                    return
                }
                section[keyPath: keys] = nodes.enumerated().compactMap { index, node in
                    read(node, "\(path)[\(index)]", &reader)
                }
            },
            check: { section, path, checker in
                for (index, key) in section[keyPath: keys].enumerated() {
                    let element = "\(path)[\(index)]"
                    checker.section(key, element, isGiven: checker.isGiven(element))
                }
            },
            show: { section, path, listing in
                listing.value(name, text(section[keyPath: keys]), path)
            },
            compare: { former, latter, place, found in
                guard former[keyPath: keys] != latter[keyPath: keys] else { return }
                found.append(place.with(reload))
            }
        )
    }

    private static func read(
        _ node: Node,
        _ path: String,
        _ reader: inout ConfigurationReader
    ) -> Configuration.AuroraKey? {
        // Any other mapping is a text that wants quotes, and nobody is to read it in a message.
        guard case .mapping(let mapping) = node,
            mapping.contains(where: { $0.key.scalar?.string == "key" })
        else {
            return reader.scalar(node, path, .auroraKey).map(Configuration.AuroraKey.init)
        }
        var key = Configuration.AuroraKey()
        reader.section(node, path, &key)
        return key
    }

    private static func text(_ keys: [Configuration.AuroraKey]) -> String {
        let texts = keys.map { key in
            let secret = ScalarType<Secret>.auroraKey.text(key.key)
            return key.tier.map { "{key: \(secret), tier: \(yamlText($0))}" } ?? secret
        }
        return "[" + texts.joined(separator: ", ") + "]"
    }
}

extension Configuration.AuroraKey: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.AuroraKey>] {
        [
            .scalar(
                "key",
                \.key,
                .auroraKey,
                isRequired: true,
                reload: .restart,
                meaning: "The key."
            ),
            .optional(
                "tier",
                \.tier,
                .name(example: "partner"),
                reload: .restart,
                meaning: "The name of its tier."
            ),
        ]
    }
}

extension ScalarType where Value == Secret {
    fileprivate static var auroraKey: ScalarType { .secret(example: "a random text") }
}

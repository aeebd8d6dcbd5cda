extension Configuration.API: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.API>] {
        [
            .entries(
                "keys",
                \.keys,
                scalar: ("key", \.key, .secret(example: "sha256:… of varde token api-key")),
                text: \.text,
                counts: 0...64,
                reload: .live,
                meaning: """
                    `sha256:` and the digest of a key in hexadecimal, as `varde token api-key` \
                    prints it; or a key as it is. A key in the long form has a `name` for log \
                    entries and scopes: `methods` (names and groups), `namespaces` and `read_only`. \
                    Without scopes, a key opens everything: docs/AUTHENTICATION.md, API keys.
                    """
            )
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        let names = keys.map(\.name)
        return names.enumerated().compactMap { index, name in
            guard let name, names[..<index].contains(name) else { return nil }
            return ("keys[\(index)].name", "found \"\(name)\" a second time, expected another name")
        }
    }
}

extension Configuration.APIKey: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.APIKey>] {
        [
            .scalar(
                "key",
                \.key,
                .secret(example: "sha256:… of varde token api-key"),
                isRequired: true,
                reload: .live,
                meaning: "The digest of the key, or the key."
            ),
            .optional(
                "name",
                \.name,
                .name(example: "shop"),
                reload: .live,
                meaning: "For log entries."
            ),
            .list(
                "methods",
                \.methods,
                .apiScope,
                counts: 0...32,
                reload: .live,
                meaning: "The methods and groups that the key opens."
            ),
            .list(
                "namespaces",
                \.namespaces,
                .name(example: "chat"),
                counts: 0...256,
                reload: .live,
                meaning: "The namespaces of the channels that the key opens."
            ),
            .scalar(
                "read_only",
                \.readOnly,
                .flag,
                reload: .live,
                meaning: "Whether the key cannot change anything."
            ),
        ]
    }

    /// The settings of the key as one line of YAML, without the key.
    var text: String {
        var parts = ["key: \"\(key)\""]
        if let name { parts.append("name: \(yamlText(name))") }
        if !methods.isEmpty { parts.append("methods: [\(methods.joined(separator: ", "))]") }
        if !namespaces.isEmpty {
            let names = namespaces.map(yamlText).joined(separator: ", ")
            parts.append("namespaces: [\(names)]")
        }
        if readOnly { parts.append("read_only: true") }
        return parts.count == 1 ? "\"\(key)\"" : "{\(parts.joined(separator: ", "))}"
    }
}

extension ScalarType where Value == String {
    fileprivate static var apiScope: ScalarType {
        ScalarType(
            name: "method or group",
            range: APIScopes.known.joined(separator: ", "),
            example: "publish",
            read: { APIScopes.known.contains($0.text) ? $0.text : nil },
            text: yamlText
        )
    }
}

/// A difference between two configurations: a key, or a section or an element that only one of them
/// has.
package struct ConfigurationPlace: Equatable {
    /// The key in the schema, `namespaces[].durable`. For an added or removed element, this is the
    /// key that identifies elements; for a section, the section: `tls`.
    package var key: String
    /// The path in messages: `namespaces[chat].durable`, `namespaces[chat]`.
    package var path: String
    /// Whether a reload applies the difference.
    package var reload = ConfigurationReload.restart

    package static let root = ConfigurationPlace(key: "", path: "")

    package func with(_ reload: ConfigurationReload) -> ConfigurationPlace {
        ConfigurationPlace(key: key, path: path, reload: reload)
    }

    func key(_ name: String) -> ConfigurationPlace {
        self == .root
            ? ConfigurationPlace(key: name, path: name)
            : ConfigurationPlace(key: "\(key).\(name)", path: "\(path).\(name)")
    }

    private func element(_ name: String) -> ConfigurationPlace {
        ConfigurationPlace(key: key + "[]", path: "\(path)[\(name)]")
    }

    /// Records the differences between two lists, whose elements are identified by one of their
    /// keys.
    package func compare<Section: ConfigurationSection>(
        _ former: [Section],
        _ latter: [Section],
        _ identity: (name: String, value: KeyPath<Section, String>),
        _ found: inout [ConfigurationPlace]
    ) {
        func names(_ sections: [Section]) -> [String] {
            sections.map { $0[keyPath: identity.value] }
        }
        let identityKey = "\(key)[].\(identity.name)"
        let reload = Section.schema().first { $0.path == identity.name }?.reload ?? .restart
        func note(_ path: String) {
            found.append(ConfigurationPlace(key: identityKey, path: path, reload: reload))
        }
        func noteElement(_ name: String) { note(element(name).path) }
        let (formerNames, latterNames) = (names(former), names(latter))
        for name in formerNames where !latterNames.contains(name) { noteElement(name) }
        for (name, section) in zip(latterNames, latter) {
            guard let index = formerNames.firstIndex(of: name) else {
                noteElement(name)
                continue
            }
            Section.compare(former[index], section, element(name), &found)
        }
        let order = formerNames.filter(latterNames.contains)
        if order != latterNames.filter(formerNames.contains) {
            note(path)
        }
    }
}

extension ConfigurationSection {
    /// Records the keys of this section and below that have another value in `latter`.
    package static func compare(
        _ former: Self,
        _ latter: Self,
        _ place: ConfigurationPlace,
        _ found: inout [ConfigurationPlace]
    ) {
        for field in fields { field.compare(former, latter, place.key(field.name), &found) }
    }
}

import Yams

/// Values that have keys in the configuration file: a section of it, or the whole file.
package protocol ConfigurationValues: Equatable, Sendable {
    /// Creates the defaults; the default of a required key is never used.
    init()
}

/// A mapping of the configuration file, as a table of its keys.
package protocol ConfigurationSection: ConfigurationValues {
    /// The keys, in the order in which they are shown.
    static var fields: [ConfigurationField<Self>] { get }

    /// Returns the contradictions between keys that are valid by themselves, each with the path of
    /// the key that is reported, relative to this section.
    func contradictions() -> [(path: String, message: String)]
}

extension ConfigurationSection {
    package func contradictions() -> [(path: String, message: String)] { [] }
}

/// One key of a section, with functions to read, check, show and document it.
package struct ConfigurationField<Section: ConfigurationValues> {
    package let name: String
    package let isRequired: Bool
    /// Returns the key and those below it.
    package let schema: (_ path: String) -> [ConfigurationKey]
    /// Returns the sections, this one or below it, that a file may omit.
    package let optionalSections: (_ path: String) -> [ConfigurationOptionalSection]
    package let read: (Node, _ path: String, inout ConfigurationReader, inout Section) -> Void
    /// Checks the keys below this one.
    package let check: (Section, _ path: String, inout ConfigurationChecker) -> Void
    package let show: (Section, _ path: String, inout ConfigurationListing) -> Void
    /// Records the keys, this one or below it, that have another value in the second section.
    package let compare: (Section, Section, ConfigurationPlace, inout [ConfigurationPlace]) -> Void

    package init(
        name: String,
        isRequired: Bool,
        schema: @escaping (_ path: String) -> [ConfigurationKey],
        optionalSections: @escaping (_ path: String) -> [ConfigurationOptionalSection] = { _ in []
        },
        read: @escaping (Node, String, inout ConfigurationReader, inout Section) -> Void,
        check: @escaping (Section, String, inout ConfigurationChecker) -> Void = { _, _, _ in },
        show: @escaping (Section, String, inout ConfigurationListing) -> Void,
        compare:
            @escaping (
                Section, Section, ConfigurationPlace, inout [ConfigurationPlace]
            ) -> Void
    ) {
        self.name = name
        self.isRequired = isRequired
        self.schema = schema
        self.optionalSections = optionalSections
        self.read = read
        self.check = check
        self.show = show
        self.compare = compare
    }
}

/// The documentation of one key.
package struct ConfigurationKey: Hashable, Sendable {
    /// `limits.header_bytes`, `namespaces[].name`
    package let path: String
    /// `duration, 1s to 1h`
    package let type: String
    /// The text of the default; `required` or `none` if there is no value.
    package let defaultText: String
    package let reload: ConfigurationReload
    /// Markdown on one line.
    package let meaning: String
}

/// A section that is nil unless one of its keys is set.
package struct ConfigurationOptionalSection: Hashable, Sendable {
    /// `tls`, `radar.sources[].mapping`
    package let path: String
    /// Whether a reload can add and remove it.
    package let reload: ConfigurationReload
}

/// The time when a changed value of a key applies.
package enum ConfigurationReload: Sendable {
    /// On the next reload, without a restart of the hub.
    case live
    /// On the next start: the value is used by parts that are created at startup, such as
    /// listeners, the store, the tables of the loops, the pools of compression, the upstreams.
    case restart
}

// MARK: - Scalars

extension ConfigurationField {
    package static func scalar<Value: Equatable>(
        _ name: String,
        _ value: WritableKeyPath<Section, Value>,
        _ type: ScalarType<Value>,
        isRequired: Bool = false,
        reload: ConfigurationReload,
        meaning: String
    ) -> ConfigurationField {
        ConfigurationField(
            name: name,
            isRequired: isRequired,
            schema: { path in
                let text = isRequired ? "required" : type.text(Section()[keyPath: value])
                return [
                    ConfigurationKey(
                        path: path,
                        type: type.documentation,
                        defaultText: text,
                        reload: reload,
                        meaning: meaning
                    )
                ]
            },
            read: { node, path, reader, section in
                guard let read = reader.scalar(node, path, type) else { return }
                section[keyPath: value] = read
            },
            show: { section, path, listing in
                listing.value(name, type.text(section[keyPath: value]), path)
            },
            compare: compare(value, reload)
        )
    }

    /// Returns a key without a default: nil if it is not set.
    package static func optional<Value: Equatable>(
        _ name: String,
        _ value: WritableKeyPath<Section, Value?>,
        _ type: ScalarType<Value>,
        reload: ConfigurationReload,
        meaning: String
    ) -> ConfigurationField {
        ConfigurationField(
            name: name,
            isRequired: false,
            schema: { path in
                [
                    ConfigurationKey(
                        path: path,
                        type: type.documentation,
                        defaultText: "none",
                        reload: reload,
                        meaning: meaning
                    )
                ]
            },
            read: { node, path, reader, section in
                guard let read = reader.scalar(node, path, type) else { return }
                section[keyPath: value] = read
            },
            show: { section, path, listing in
                guard let value = section[keyPath: value] else { return }
                listing.value(name, type.text(value), path)
            },
            compare: compare(value, reload)
        )
    }

    package static func list<Value: Equatable>(
        _ name: String,
        _ values: WritableKeyPath<Section, [Value]>,
        _ type: ScalarType<Value>,
        counts: ClosedRange<Int>,
        reload: ConfigurationReload,
        meaning: String
    ) -> ConfigurationField {
        func text(_ section: Section) -> String {
            "[" + section[keyPath: values].map(type.text).joined(separator: ", ") + "]"
        }
        return ConfigurationField(
            name: name,
            isRequired: false,
            schema: { path in
                let type =
                    "list of \(counts.lowerBound) to \(counts.upperBound): \(type.documentation)"
                return [
                    ConfigurationKey(
                        path: path,
                        type: type,
                        defaultText: text(Section()),
                        reload: reload,
                        meaning: meaning
                    )
                ]
            },
            read: { node, path, reader, section in
                guard let nodes = reader.list(node, path, of: type.name, counts: counts) else {
                    return
                }
                section[keyPath: values] = nodes.enumerated().compactMap { index, node in
                    reader.scalar(node, "\(path)[\(index)]", type)
                }
            },
            show: { section, path, listing in listing.value(name, text(section), path) },
            compare: compare(values, reload)
        )
    }

    /// Returns a key that has moved to another section, such as `accounts.access_token_lifetime`.
    /// It is read as the other key, with a warning, and it is neither shown nor documented.
    package static func moved(_ name: String, to path: String) -> ConfigurationField {
        ConfigurationField(
            name: name,
            isRequired: false,
            schema: { _ in [] },
            read: { node, former, reader, _ in reader.noteMoved(node, from: former, to: path) },
            show: { _, _, _ in },
            compare: { _, _, _, _ in }
        )
    }

    private static func compare<Value: Equatable>(
        _ value: KeyPath<Section, Value>,
        _ reload: ConfigurationReload
    ) -> (Section, Section, ConfigurationPlace, inout [ConfigurationPlace]) -> Void {
        { former, latter, place, found in
            guard former[keyPath: value] != latter[keyPath: value] else { return }
            found.append(place.with(reload))
        }
    }
}

extension ScalarType {
    /// `duration, 1s to 1h`
    package var documentation: String {
        let text = range.isEmpty ? name : "\(name), \(range)"
        if isSecret { return "\(text), or \(SecretReference.documentation)" }
        return acceptsReference ? "\(text), or `{credential: NAME}`" : text
    }

    /// Whether a mapping may replace the text: a reference to a secret, or a file that is a
    /// credential.
    var acceptsReference: Bool { isSecret || name == ScalarType<String>.fileTypeName }
}

// MARK: - Sections

extension ConfigurationField {
    package static func section<Inner: ConfigurationSection>(
        _ name: String,
        _ inner: WritableKeyPath<Section, Inner>
    ) -> ConfigurationField {
        ConfigurationField(
            name: name,
            isRequired: false,
            schema: { path in Inner.schema(under: path + ".") },
            optionalSections: { path in Inner.optionalSections(under: path + ".") },
            read: { node, path, reader, section in
                reader.section(node, path, &section[keyPath: inner])
            },
            check: { section, path, checker in checker.section(section[keyPath: inner], path) },
            show: { section, path, listing in
                listing.section(name, section[keyPath: inner], path)
            },
            compare: { former, latter, place, found in
                Inner.compare(former[keyPath: inner], latter[keyPath: inner], place, &found)
            }
        )
    }

    /// Returns a section that is nil unless one of its keys is set.
    ///
    /// - Parameter reload: whether a reload can add and remove the section.
    package static func optional<Inner: ConfigurationSection>(
        _ name: String,
        _ inner: WritableKeyPath<Section, Inner?>,
        reload: ConfigurationReload
    ) -> ConfigurationField {
        optional(
            name,
            get: { $0[keyPath: inner] },
            set: { $0[keyPath: inner] = $1 },
            reload: reload
        )
    }

    /// Like `optional` with a key path.
    static func optional<Inner: ConfigurationSection>(
        _ name: String,
        get: @escaping (Section) -> Inner?,
        set: @escaping (inout Section, Inner) -> Void,
        reload: ConfigurationReload
    ) -> ConfigurationField {
        ConfigurationField(
            name: name,
            isRequired: false,
            schema: { path in Inner.schema(under: path + ".") },
            optionalSections: { path in
                [ConfigurationOptionalSection(path: path, reload: reload)]
                    + Inner.optionalSections(under: path + ".")
            },
            read: { node, path, reader, section in
                var value = get(section) ?? Inner()
                reader.section(node, path, &value)
                set(&section, value)
            },
            check: { section, path, checker in
                guard let value = get(section) else { return }
                checker.section(value, path)
            },
            show: { section, path, listing in
                guard let value = get(section) else { return }
                listing.section(name, value, path)
            },
            compare: { former, latter, place, found in
                switch (get(former), get(latter)) {
                case (nil, nil): break
                case (.some(let former), .some(let latter)):
                    Inner.compare(former, latter, place, &found)
                case (nil, .some), (.some, nil): found.append(place.with(reload))
                }
            }
        )
    }

    /// Returns a list of sections, which are identified by `identity`; a list in the file replaces
    /// the default. A reload can add, remove and reorder elements if it applies to the key of that
    /// name.
    package static func list<Inner: ConfigurationSection>(
        _ name: String,
        _ items: WritableKeyPath<Section, [Inner]>,
        counts: ClosedRange<Int>,
        identity: (name: String, value: KeyPath<Inner, String>)
    ) -> ConfigurationField {
        list(
            name,
            get: { $0[keyPath: items] },
            set: { $0[keyPath: items] = $1 },
            counts: counts,
            identity: identity
        )
    }

    /// Like `list` with a key path.
    static func list<Inner: ConfigurationSection>(
        _ name: String,
        get: @escaping (Section) -> [Inner],
        set: @escaping (inout Section, [Inner]) -> Void,
        counts: ClosedRange<Int>,
        identity: (name: String, value: KeyPath<Inner, String>)
    ) -> ConfigurationField {
        ConfigurationField(
            name: name,
            isRequired: false,
            schema: { path in Inner.schema(under: path + "[].") },
            optionalSections: { path in Inner.optionalSections(under: path + "[].") },
            read: { node, path, reader, section in
                guard let nodes = reader.list(node, path, of: "mapping", counts: counts) else {
                    return
                }
                let items = nodes.enumerated().map { index, node in
                    var item = Inner()
                    reader.section(node, "\(path)[\(index)]", &item)
                    return item
                }
                set(&section, items)
            },
            check: { section, path, checker in
                var seen = Set<String>()
                for (index, item) in get(section).enumerated() {
                    checker.section(item, "\(path)[\(index)]", isGiven: checker.isGiven(path))
                    let value = item[keyPath: identity.value]
                    if !value.isEmpty, !seen.insert(value).inserted {
                        checker.refuse(
                            "\(path)[\(index)].\(identity.name)",
                            "found \"\(value)\" a second time, expected one of each"
                        )
                    }
                }
            },
            show: { section, path, listing in
                listing.list(name, get(section), path)
            },
            compare: { former, latter, place, found in
                place.compare(
                    get(former),
                    get(latter),
                    identity,
                    &found
                )
            }
        )
    }
}

extension ConfigurationSection {
    /// Returns all keys of this section and below, each path after `prefix`.
    package static func schema(under prefix: String = "") -> [ConfigurationKey] {
        fields.flatMap { $0.schema(prefix + $0.name) }
    }

    /// Returns all optional sections of this section and below, each path after `prefix`.
    package static func optionalSections(under prefix: String = "")
        -> [ConfigurationOptionalSection]
    {
        fields.flatMap { $0.optionalSections(prefix + $0.name) }
    }
}

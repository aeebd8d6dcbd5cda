/// The section of a domain. It switches the domain on: a domain without its section is off.
package protocol DomainSection: ConfigurationSection {
    /// The key in the file, which is the domain's name.
    static var key: String { get }

    /// The key with its value: a mapping, or a list (`DomainListSection`).
    static var field: ConfigurationField<Configuration> { get }

    /// Returns the contradictions between the section and the rest of the configuration, each with
    /// the whole path of the key that is reported.
    func contradictions(in configuration: Configuration) -> [(path: String, message: String)]

    /// Returns the contradictions of a configuration without the section, in the same form.
    static func contradictionsOfAbsence(
        in configuration: Configuration
    ) -> [(path: String, message: String)]

    /// Returns settings of the section that are allowed, and that the operator should know of.
    func warnings(in loaded: LoadedConfiguration) -> [ConfigurationWarning]

    /// Reads the values of keys that may be set by the environment.
    mutating func read(_ environment: [String: String], _ reader: inout ConfigurationReader)

    /// Returns the section's exposures to all peers that can reach the hub.
    func exposures(in loaded: LoadedConfiguration) -> [ConfigurationExposure]
}

extension DomainSection {
    package func contradictions(in configuration: Configuration) -> [(
        path: String, message: String
    )] { [] }

    package static func contradictionsOfAbsence(
        in configuration: Configuration
    ) -> [(path: String, message: String)] { [] }

    package func warnings(in loaded: LoadedConfiguration) -> [ConfigurationWarning] { [] }

    package mutating func read(
        _ environment: [String: String],
        _ reader: inout ConfigurationReader
    ) {}

    package func exposures(in loaded: LoadedConfiguration) -> [ConfigurationExposure] { [] }

    package static var field: ConfigurationField<Configuration> {
        .optional(
            key,
            get: { $0[Self.self] },
            set: { $0[Self.self] = $1 },
            reload: .restart
        )
    }

    fileprivate func isEqual(to other: any DomainSection) -> Bool { other as? Self == self }
}

/// A section that is a list of mappings, such as `bells: [{name: front}]`. The domain is on if the list
/// has an element.
package protocol DomainListSection: DomainSection {
    associatedtype Item: ConfigurationSection

    var items: [Item] { get set }

    /// The numbers of elements that are allowed.
    static var counts: ClosedRange<Int> { get }

    /// The key that distinguishes the elements.
    static var identity: (name: String, value: KeyPath<Item, String>) { get }
}

extension DomainListSection {
    package static var fields: [ConfigurationField<Self>] { [] }

    package static var field: ConfigurationField<Configuration> {
        .list(
            key,
            get: { $0[Self.self]?.items ?? [] },
            set: { configuration, items in
                var section = Self()
                section.items = items
                configuration[Self.self] = items.isEmpty ? nil : section
            },
            counts: counts,
            identity: identity
        )
    }
}

/// A domain's additions to the configuration file.
package struct DomainConfiguration: Sendable {
    let section: any DomainSection.Type
    /// Namespaces that cannot be configured, whether the domain is on or off.
    let reservedNamespaces: Set<String>
    /// The alert rules that apply while no list of rules is configured.
    let defaultAlerts: [Configuration.Alert]

    package init(
        _ section: any DomainSection.Type,
        reservedNamespaces: Set<String> = [],
        defaultAlerts: [Configuration.Alert] = []
    ) {
        self.section = section
        self.reservedNamespaces = reservedNamespaces
        self.defaultAlerts = defaultAlerts
    }
}

/// The sections of domains in a configuration, by their keys.
struct DomainSections: Equatable, Sendable {
    private var values: [String: any DomainSection] = [:]

    subscript<Section: DomainSection>(_ type: Section.Type) -> Section? {
        get { values[Section.key] as? Section }
        set { values[Section.key] = newValue }
    }

    /// The sections of the domains that are on, in the order of `domains`.
    func all(of domains: [DomainConfiguration]) -> [any DomainSection] {
        domains.compactMap { values[$0.section.key] }
    }

    /// The types of the sections of the domains that are off.
    func missing(of domains: [DomainConfiguration]) -> [any DomainSection.Type] {
        domains.map(\.section).filter { values[$0.key] == nil }
    }

    /// Reads the values that the environment has for each section.
    mutating func read(_ environment: [String: String], _ reader: inout ConfigurationReader) {
        for key in values.keys.sorted() { values[key]?.read(environment, &reader) }
    }

    static func == (left: DomainSections, right: DomainSections) -> Bool {
        left.values.count == right.values.count
            && left.values.allSatisfy { key, section in
                right.values[key].map { section.isEqual(to: $0) } ?? false
            }
    }
}

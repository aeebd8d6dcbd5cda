import AllDomains
import Expectations
import Foundation
import Yams

@testable import Configuration

@Suite("Configuration: what a reload may change, of all keys", .timeLimit(.minutes(10)))
struct ConfigurationReloadTests {
    /// The hub's own sections that may come and go as a whole.
    private static let sections: Set<String> = [
        "alerts[].quiet", "tls", "clock", "cluster", "accounts", "users",
    ]

    /// The keys and sections whose values change with `reload`.
    private func paths(_ reload: ConfigurationReload) -> Set<String> {
        let schema = ConfigurationSchema.whole
        let keys = schema.keys.filter { $0.reload == reload }.map(\.path)
        let sections = schema.optionalSections.filter { $0.reload == reload }.map(\.path)
        return Set(keys + sections)
    }

    // MARK: The table

    @Test func everyKeyIsEitherReloadableOrFixed() {
        let (reloadable, fixed) = (paths(.live), paths(.restart))
        expect(reloadable.isDisjoint(with: fixed))
        let keys = ConfigurationSchema.whole.keys.map(\.path)
        let sections = reloadable.union(fixed).subtracting(keys)
        let names = Set(Self.sectionsOfKeys)
        expect(names.isSubset(of: sections), "each domain is a section that may be left out")
        let ofDomains = sections.filter { names.contains(String($0.prefix { $0 != "." })) }
        expectEqual(sections.subtracting(ofDomains), Self.sections)
    }

    @Test func documentNamesWhatIsReloadedAndWhatIsNot() throws {
        let text = try String(contentsOfFile: ConfigurationReference.path, encoding: .utf8)
        let section = try require(
            text.components(separatedBy: "\n## Keys that a reload applies\n").last
        ).components(separatedBy: "\n## ")[0]
        let lists = section.components(separatedBy: "\n\n").filter { $0.hasPrefix("- ") }
        let parts: [Substring] = try require(lists.first).split(separator: "`")
        let named = stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
        expectEqual(Set(named), paths(.live))
    }

    // MARK: Comparison

    @Test(arguments: ConfigurationSchema.whole.keys)
    func everyKeyIsNoticedAndTreatedAsTheTableSays(key: ConfigurationKey) throws {
        let values = try require(SampleValues.of(key), "no sample of \(key.type)")
        let former = try Self.configuration(key.path, values.0)
        let latter = try Self.configuration(key.path, values.1)
        let schema = ConfigurationSchema.whole
        for (from, to) in [(former, latter), (latter, former)] {
            let places = schema.differences(from, to)
            expectEqual(Set(places.map(\.key)), [key.path])
            let paths = places.map(\.path)
            expectEqual(
                ConfigurationChange.between(from, to, schema),
                (key.reload == .live ? .reload(paths) : .needsRestart(paths))
            )
        }
    }

    /// The sections of domains that are no lists.
    private static let sectionsOfKeys = allDomains.filter { !($0 is any Door.Type) }
        .map { $0.manifest.name }

    @Test(arguments: sectionsOfKeys)
    func domainThatComesOrGoesNeedsARestart(name: String) throws {
        let with = try Self.configuration("\(name): {}")
        let without = Configuration()
        let schema = ConfigurationSchema.whole
        expect(with != without)
        expectEqual(ConfigurationChange.between(without, with, schema), .needsRestart([name]))
        expectEqual(ConfigurationChange.between(with, without, schema), .needsRestart([name]))
        expectEqual(ConfigurationChange.between(with, with, schema), .nothing)
    }

    @Test func mappingThatComesOrGoesNeedsARestart() throws {
        let with = try Self.configuration(
            "radar: {sources: [{name: a, mapping: {items: b}}]}"
        )
        let without = try Self.configuration("radar: {sources: [{name: a}]}")
        let schema = ConfigurationSchema.whole
        let expected = ConfigurationChange.needsRestart(["radar.sources[a].mapping"])
        expectEqual(ConfigurationChange.between(without, with, schema), expected)
        expectEqual(ConfigurationChange.between(with, without, schema), expected)
    }

    // MARK: Configurations

    /// Read without the checks between keys, so that one key can stand alone.
    private static func configuration(_ yaml: String) throws -> Configuration {
        var configuration = Configuration()
        let node = try require(Yams.compose(yaml: yaml))
        let schema = ConfigurationSchema.whole
        var reader = ConfigurationReader(source: .file(name: "varde.yaml"))
        reader.fields(schema.fields, of: &configuration, node, "")
        expect(reader.problems.isEmpty, "\(reader.problems)")
        return configuration
    }

    /// `namespaces[].durable` with a value, in one element that is named alike for all keys.
    private static func configuration(_ path: String, _ value: String) throws -> Configuration {
        let parts = path.split(separator: ".")
        let yaml = parts.reversed().enumerated().reduce(value) { inner, part in
            guard part.element.hasSuffix("[]") else { return "{\(part.element): \(inner)}" }
            let list = part.element.dropLast(2)
            let identities = [
                "places": "id", "certificates": "certificate", "escalate": "severity",
            ]
            let identity = identities[String(list)] ?? "name"
            let same = list == "escalate" ? "warning" : "same"
            let isIdentity = inner.hasPrefix("{\(identity): ")
            let element = isIdentity ? inner : "{\(identity): \(same), " + inner.dropFirst()
            return "{\(list): [\(element)]}"
        }
        return try configuration(yaml)
    }
}

/// Two values for a key, from the type that is documented for it.
private enum SampleValues {
    static func of(_ key: ConfigurationKey) -> (String, String)? {
        let type = key.type
        if type.hasPrefix("list of ") {
            let element = type.split(separator: ": ", maxSplits: 1)[1]
            guard let values = scalars(String(element)) else { return nil }
            return ("[\(values.0)]", "[\(values.1)]")
        }
        if type.hasPrefix("mapping of ") { return ("{one: one}", "{two: two}") }
        return scalars(type)
    }

    private static func scalars(_ type: String) -> (String, String)? {
        let parts = type.components(separatedBy: ", ")
        switch parts[0] {
        case "flag": return ("true", "false")
        case "choice": return (parts[1], parts[2])
        case "integer", "duration", "byte count", "number":
            let bounds = parts[1].components(separatedBy: " to ")
            return (bounds[0], bounds[1])
        case "mode": return ("\"0600\"", "\"0660\"")
        case "peer": return ("10.0.0.0/8", "unix")
        case "loop count": return ("1", "auto")
        case "address": return ("\"127.0.0.1:1\"", "\"127.0.0.1:2\"")
        case "address block": return ("10.0.0.0/8", "\"fd00::/8\"")
        case "time of day": return ("\"00:00\"", "\"23:59\"")
        case "time zone": return ("UTC", "CET")
        case "time": return ("2024-12-09T16:00:00Z", "2024-12-09T17:00:00Z")
        case "origin": return ("\"https://a.example\"", "\"https://b.example\"")
        case "URL": return ("\"https://a.example\"", "\"https://b.example\"")
        case "file", "text", "secret", "name", "topic pattern", "event type pattern",
            "group pattern", "header":
            return ("one", "two")
        default: return nil
        }
    }
}

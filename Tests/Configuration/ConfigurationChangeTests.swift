import Foundation
import Testing
import Yams

@testable import Configuration

@Suite("Configuration: what a reload may change", .timeLimit(.minutes(10)))
struct ConfigurationChangeTests {
    private static let keys = Set(Configuration.schema().map(\.path))
    /// Sections that may come and go as a whole.
    private static let sections: Set<String> = [
        "alerts[].quiet",
        "tls", "clock", "aurora", "radar", "radar.sources[].mapping", "activity",
    ]

    // MARK: The table

    @Test func everyKeyIsEitherReloadableOrFixed() {
        let (reloadable, fixed) = (ConfigurationChange.reloadable, ConfigurationChange.fixed)
        #expect(reloadable.isDisjoint(with: fixed))
        let all = ConfigurationChangeTests.keys.union(ConfigurationChangeTests.sections)
        #expect(reloadable.union(fixed) == all)
    }

    @Test func documentNamesWhatIsReloadedAndWhatIsNot() throws {
        let text = try String(contentsOfFile: ConfigurationReference.path, encoding: .utf8)
        let section = try #require(
            text.components(separatedBy: "\n## Keys that a reload applies\n").last
        ).components(separatedBy: "\n## ")[0]
        let lists = section.components(separatedBy: "\n\n").filter { $0.hasPrefix("- ") }
        let parts: [Substring] = try #require(lists.first).split(separator: "`")
        let named = stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
        #expect(Set(named) == ConfigurationChange.reloadable)
    }

    // MARK: Comparison

    @Test func sameConfigurationChangesNothing() throws {
        #expect(ConfigurationChange.between(Configuration(), Configuration()) == .nothing)
        let configuration = try ConfigurationChangeTests.configuration(everyKey)
        #expect(ConfigurationChange.between(configuration, configuration) == .nothing)
    }

    @Test(arguments: Configuration.schema())
    func everyKeyIsNoticedAndTreatedAsTheTableSays(key: ConfigurationKey) throws {
        let values = try #require(SampleValues.of(key), "no sample of \(key.type)")
        let former = try ConfigurationChangeTests.configuration(key.path, values.0)
        let latter = try ConfigurationChangeTests.configuration(key.path, values.1)
        for (from, to) in [(former, latter), (latter, former)] {
            var places: [ConfigurationPlace] = []
            Configuration.compare(from, to, .root, &places)
            #expect(Set(places.map(\.key)) == [key.path])
            let paths = places.map(\.path)
            let isReloadable = ConfigurationChange.reloadable.contains(key.path)
            #expect(
                ConfigurationChange.between(from, to)
                    == (isReloadable ? .reload(paths) : .needsRestart(paths))
            )
        }
    }

    @Test(arguments: [
        ("tls", "tls: {certificate: a.pem, key: b.pem}"),
        ("clock", "clock: {start: 2024-12-09T16:00:00Z}"),
        ("aurora", "aurora: {user_agent: a@b.example}"), ("radar", "radar: {}"),
        ("activity", "activity: {}"),
    ])
    func sectionThatComesOrGoesNeedsARestart(section: String, yaml: String) throws {
        let with = try ConfigurationChangeTests.configuration(yaml)
        let without = Configuration()
        #expect(ConfigurationChange.between(without, with) == .needsRestart([section]))
        #expect(ConfigurationChange.between(with, without) == .needsRestart([section]))
    }

    @Test func mappingThatComesOrGoesNeedsARestart() throws {
        let with = try ConfigurationChangeTests.configuration(
            "radar: {sources: [{name: a, mapping: {items: b}}]}"
        )
        let without = try ConfigurationChangeTests.configuration("radar: {sources: [{name: a}]}")
        let change = ConfigurationChange.needsRestart(["radar.sources[a].mapping"])
        #expect(ConfigurationChange.between(without, with) == change)
        #expect(ConfigurationChange.between(with, without) == change)
    }

    @Test func namespacesAreTheSameByTheirNames() throws {
        let former = try ConfigurationChangeTests.configuration(
            "namespaces: [{name: a}, {name: b, history_size: 5}, {name: c}]"
        )
        let latter = try ConfigurationChangeTests.configuration(
            "namespaces: [{name: b, history_size: 6}, {name: c}, {name: d}]"
        )
        #expect(
            ConfigurationChange.between(former, latter)
                == .reload(["namespaces[a]", "namespaces[b].history_size", "namespaces[d]"])
        )
        let other = try ConfigurationChangeTests.configuration("namespaces: [{name: b}, {name: a}]")
        let same = try ConfigurationChangeTests.configuration("namespaces: [{name: a}, {name: b}]")
        #expect(ConfigurationChange.between(same, other) == .reload(["namespaces"]))
    }

    @Test func oneKeyThatNeedsARestartHoldsAllBack() throws {
        let latter = try ConfigurationChangeTests.configuration(
            "log_level: debug\nloops: 3\napi: {keys: [k]}\nnamespaces: [{name: a}]\nsynchronous: full"
        )
        #expect(
            ConfigurationChange.between(Configuration(), latter)
                == .needsRestart(["synchronous", "loops"])
        )
    }

    @Test func noSecretIsPartOfWhatIsTold() throws {
        let latter = try ConfigurationChangeTests.configuration(
            "tokens: {secrets: [very-secret]}\napi: {keys: [very-secret]}"
        )
        let change = ConfigurationChange.between(Configuration(), latter)
        #expect(change == .reload(["tokens.secrets", "api.keys"]))
    }

    // MARK: Configurations

    /// Read without the checks between keys, so that one key can stand alone.
    private static func configuration(_ yaml: String) throws -> Configuration {
        var configuration = Configuration()
        let node = try #require(try Yams.compose(yaml: yaml))
        var reader = ConfigurationReader(source: .file(name: "varde.yaml"))
        reader.section(node, "", &configuration)
        #expect(reader.problems.isEmpty, "\(reader.problems)")
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
        case "loop count": return ("1", "auto")
        case "address": return ("\"127.0.0.1:1\"", "\"127.0.0.1:2\"")
        case "address block": return ("10.0.0.0/8", "\"fd00::/8\"")
        case "time of day": return ("\"00:00\"", "\"23:59\"")
        case "zone": return ("UTC", "\"+01:00\"")
        case "time": return ("2024-12-09T16:00:00Z", "2024-12-09T17:00:00Z")
        case "origin": return ("\"https://a.example\"", "\"https://b.example\"")
        case "URL": return ("\"https://a.example\"", "\"https://b.example\"")
        case "file", "text", "secret", "name", "topic pattern", "event type pattern",
            "group pattern":
            return ("one", "two")
        default: return nil
        }
    }
}

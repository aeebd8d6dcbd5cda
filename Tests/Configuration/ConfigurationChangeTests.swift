import Foundation
import Testing
import Yams

@testable import Configuration

@Suite("Configuration: what a reload may change", .timeLimit(.minutes(10)))
struct ConfigurationChangeTests {
    // MARK: Comparison

    @Test func sameConfigurationChangesNothing() throws {
        #expect(change(Configuration(), Configuration()) == .nothing)
        let configuration = try ConfigurationChangeTests.configuration(everyKey)
        #expect(change(configuration, configuration) == .nothing)
    }

    @Test(arguments: [
        ("tls", "tls: {certificate: a.pem, key: b.pem}"),
        ("clock", "clock: {start: 2024-12-09T16:00:00Z}"),
    ])
    func sectionThatComesOrGoesNeedsARestart(section: String, yaml: String) throws {
        let with = try ConfigurationChangeTests.configuration(yaml)
        let without = Configuration()
        #expect(change(without, with) == .needsRestart([section]))
        #expect(change(with, without) == .needsRestart([section]))
    }

    @Test func namespacesAreTheSameByTheirNames() throws {
        let former = try ConfigurationChangeTests.configuration(
            "namespaces: [{name: a}, {name: b, history_size: 5}, {name: c}]"
        )
        let latter = try ConfigurationChangeTests.configuration(
            "namespaces: [{name: b, history_size: 6}, {name: c}, {name: d}]"
        )
        #expect(
            change(former, latter)
                == .reload(["namespaces[a]", "namespaces[b].history_size", "namespaces[d]"])
        )
        let other = try ConfigurationChangeTests.configuration("namespaces: [{name: b}, {name: a}]")
        let same = try ConfigurationChangeTests.configuration("namespaces: [{name: a}, {name: b}]")
        #expect(change(same, other) == .reload(["namespaces"]))
    }

    @Test func oneKeyThatNeedsARestartHoldsAllBack() throws {
        let latter = try ConfigurationChangeTests.configuration(
            "log_level: debug\nloops: 3\napi: {keys: [k]}\nnamespaces: [{name: a}]\nsynchronous: full"
        )
        #expect(
            change(Configuration(), latter)
                == .needsRestart(["synchronous", "loops"])
        )
    }

    @Test func noSecretIsPartOfWhatIsTold() throws {
        let latter = try ConfigurationChangeTests.configuration(
            "tokens: {secrets: [very-secret]}\napi: {keys: [very-secret]}"
        )
        #expect(
            change(Configuration(), latter) == .reload(["tokens.secrets", "api.keys"])
        )
    }

    // MARK: Configurations

    private func change(
        _ former: Configuration,
        _ latter: Configuration
    ) -> ConfigurationChange {
        .between(former, latter, ConfigurationSchema())
    }

    /// Read without the checks between keys, so that one key can stand alone.
    private static func configuration(_ yaml: String) throws -> Configuration {
        var configuration = Configuration()
        let node = try #require(try Yams.compose(yaml: yaml))
        var reader = ConfigurationReader(source: .file(name: "varde.yaml"))
        reader.fields(ConfigurationSchema().fields, of: &configuration, node, "")
        #expect(reader.problems.isEmpty, "\(reader.problems)")
        return configuration
    }

}

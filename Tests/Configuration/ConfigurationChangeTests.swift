import Expectations
import Foundation
import Yams

@testable import Configuration

@Suite("Configuration: what a reload may change", .timeLimit(.minutes(10)))
struct ConfigurationChangeTests {
    // MARK: Comparison

    @Test func sameConfigurationChangesNothing() throws {
        expectEqual(change(Configuration(), Configuration()), .nothing)
        let configuration = try ConfigurationChangeTests.configuration(everyKey)
        expectEqual(change(configuration, configuration), .nothing)
    }

    @Test(arguments: [
        ("tls", "tls: {certificate: a.pem, key: b.pem}"),
        ("clock", "clock: {start: 2024-12-09T16:00:00Z}"),
    ])
    func sectionThatComesOrGoesNeedsARestart(section: String, yaml: String) throws {
        let with = try ConfigurationChangeTests.configuration(yaml)
        let without = Configuration()
        expectEqual(change(without, with), .needsRestart([section]))
        expectEqual(change(with, without), .needsRestart([section]))
    }

    @Test func namespacesAreTheSameByTheirNames() throws {
        let former = try ConfigurationChangeTests.configuration(
            "namespaces: [{name: a}, {name: b, history_size: 5}, {name: c}]"
        )
        let latter = try ConfigurationChangeTests.configuration(
            "namespaces: [{name: b, history_size: 6}, {name: c}, {name: d}]"
        )
        expectEqual(
            change(former, latter),
            .reload(["namespaces[a]", "namespaces[b].history_size", "namespaces[d]"])
        )
        let other = try ConfigurationChangeTests.configuration("namespaces: [{name: b}, {name: a}]")
        let same = try ConfigurationChangeTests.configuration("namespaces: [{name: a}, {name: b}]")
        expectEqual(change(same, other), .reload(["namespaces"]))
    }

    @Test func oneKeyThatNeedsARestartHoldsAllBack() throws {
        let latter = try ConfigurationChangeTests.configuration(
            "log_level: debug\nloops: 3\napi: {keys: [k]}\nnamespaces: [{name: a}]\nsynchronous: full"
        )
        expectEqual(change(Configuration(), latter), .needsRestart(["synchronous", "loops"]))
    }

    @Test func noSecretIsPartOfWhatIsTold() throws {
        let latter = try ConfigurationChangeTests.configuration(
            "tokens: {secrets: [very-secret]}\napi: {keys: [very-secret]}"
        )
        expectEqual(change(Configuration(), latter), .reload(["tokens.secrets", "api.keys"]))
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
        let node = try require(Yams.compose(yaml: yaml))
        var reader = ConfigurationReader(source: .file(name: "varde.yaml"))
        reader.fields(ConfigurationSchema().fields, of: &configuration, node, "")
        expect(reader.problems.isEmpty, "\(reader.problems)")
        return configuration
    }

}

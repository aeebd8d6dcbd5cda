import AllDomains
import ConfigurationTesting
import Expectations
import TokenTesting

@testable import Hub

@Suite("Namespaces that domains bring", .timeLimit(.minutes(10)))
struct DomainNamespacesTests {
    /// Those of the domains that are on.
    private func effective(_ yaml: String) throws -> [Configuration.Namespace] {
        let loaded = try load(
            yaml,
            domains: allDomains.configurations,
            environment: ["VARDE_TOKEN_SECRET": TestTokens.secret]
        )
        let parts = try ConfiguredParts(loaded, environment: [:], domains: allDomains)
        let own: Set = ["hub", "alerts"]
        return loaded.configuration.servedNamespaces(parts.domainNamespaces)
            .filter { !own.contains($0.name) }
    }

    @Test func topicsOfTheFilmAppAreTheirOwnersAlone() throws {
        let namespaces = try effective("activity: {}")
        expectEqual(namespaces.map(\.name), ["activity", "watching"])
        let namespace = try require(namespaces.first)
        expectEqual(namespace.subscribe, .owner)
        expect(!namespace.anonymousSubscribe)
        expectEqual(namespace.publish, .nobody)
        try expect(effective("").isEmpty)
    }

    @Test func radarBringsItsNamespace() throws {
        let namespaces = try effective("radar: {}")
        expectEqual(namespaces.map(\.name), ["radar"])
        expectEqual(namespaces.first?.durable, true)
        expectEqual(namespaces.first?.historySize, 20)
        expectEqual(namespaces.first?.historyAge, .seconds(7 * 86_400))
        expectEqual(namespaces.first?.anonymousSubscribe, false)
        let own = try effective("radar: {}\nnamespaces: [{name: radar, history_size: 5}]")
        expectEqual(own.map(\.historySize), [5])
        let both = try effective("radar: {}\naurora: {user_agent: a@b.example}")
        expectEqual(both.map(\.name), ["aurora", "radar"])
    }

    @Test func auroraBringsItsNamespace() throws {
        let on = "aurora: {user_agent: ops@example.org}\n"
        let namespaces = try effective(on)
        expectEqual(namespaces.map(\.name), ["aurora"])
        expectEqual(namespaces.first?.anonymousSubscribe, true)
        let own = try effective(on + "namespaces: [{name: aurora, history_size: 5}]\n")
        expectEqual(own.map(\.historySize), [5])
        expectEqual(own.map(\.anonymousSubscribe), [false])
    }
}

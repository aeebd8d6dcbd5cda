import AllDomains
import ConfigurationTesting
import Testing
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
        #expect(namespaces.map(\.name) == ["activity", "watching"])
        let namespace = try #require(namespaces.first)
        #expect(namespace.subscribe == .owner)
        #expect(!namespace.anonymousSubscribe)
        #expect(namespace.publish == .nobody)
        #expect(try effective("").isEmpty)
    }

    @Test func radarBringsItsNamespace() throws {
        let namespaces = try effective("radar: {}")
        #expect(namespaces.map(\.name) == ["radar"])
        #expect(namespaces.first?.durable == true)
        #expect(namespaces.first?.historySize == 20)
        #expect(namespaces.first?.historyAge == .seconds(7 * 86_400))
        #expect(namespaces.first?.anonymousSubscribe == false)
        let own = try effective("radar: {}\nnamespaces: [{name: radar, history_size: 5}]")
        #expect(own.map(\.historySize) == [5])
        let both = try effective("radar: {}\naurora: {user_agent: a@b.example}")
        #expect(both.map(\.name) == ["aurora", "radar"])
    }

    @Test func auroraBringsItsNamespace() throws {
        let on = "aurora: {user_agent: ops@example.org}\n"
        let namespaces = try effective(on)
        #expect(namespaces.map(\.name) == ["aurora"])
        #expect(namespaces.first?.anonymousSubscribe == true)
        let own = try effective(on + "namespaces: [{name: aurora, history_size: 5}]\n")
        #expect(own.map(\.historySize) == [5])
        #expect(own.map(\.anonymousSubscribe) == [false])
    }
}

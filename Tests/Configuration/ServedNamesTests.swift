import ConfigurationTesting
import Expectations

@testable import Configuration

@Suite("Filters and rules that never match", .timeLimit(.minutes(10)))
struct ServedNamesTests {
    private func names(hasBackends: Bool = true) -> ServedNames {
        ServedNames(
            namespaces: ["chat", "radar", "hub"],
            domains: ["radar"],
            domainsOff: ["aurora": ["aurora"]],
            eventTypes: ["radar": ["radar.refreshed", "radar.opinion.created"]],
            hasBackends: hasBackends
        )
    }

    @Test(arguments: ["*", "chat:*", "chat:room", "chat", "radar:7", "hub:webhooks"])
    func topicsOfServedNamespacesMatch(pattern: String) {
        expectNil(names().warning(ofTopics: pattern))
    }

    @Test(arguments: [
        (
            "chatt:*",
            "no topic matches chatt:*: namespace chatt is not configured,"
                + " did you mean chat?"
        ),
        ("invoices:*", "no topic matches invoices:*: namespace invoices is not configured"),
        ("aurora:tromso", "no topic matches aurora:tromso: the section aurora is missing"),
    ])
    func topicsOfOtherNamespacesNeverMatch(pattern: String, warning: String) {
        expectEqual(names().warning(ofTopics: pattern), warning)
    }

    @Test(arguments: [
        "*", "hub.*", "hub.publication", "radar.*", "radar.alert.raised", "chat.alert.*",
        "radar.refreshed", "radar.opinion.*", "radar.alert.*", "webhook.*",
        "webhook.endpoint.disabled",
    ])
    func typesOfDomainsNamespacesAndPublicationsMatch(pattern: String) {
        expectNil(names(hasBackends: false).warning(ofTypes: pattern))
    }

    @Test(arguments: [
        ("radar.refreshd", ", did you mean radar.refreshed?"),
        ("radar.alert.rased", ", did you mean radar.alert.raised?"),
        ("radar.opinions.*", ", did you mean radar.opinion.created?"), ("radar.x", ""),
    ])
    func typeThatItsDomainDoesNotHaveNeverMatches(pattern: String, hint: String) {
        for hasBackends in [false, true] {
            let warning = names(hasBackends: hasBackends).warning(ofTypes: pattern) ?? ""
            let expected =
                "no event has the type \(pattern): the domain radar has no such type"
            expect(warning.hasPrefix(expected), "\(warning)")
            if !hint.isEmpty { expectEqual(warning, expected + hint) }
        }
    }

    @Test func domainWithoutAListMayHaveAnyType() {
        let names = ServedNames(namespaces: ["toys"], domains: ["toys"], hasBackends: false)
        expectNil(names.warning(ofTypes: "toys.anything"))
    }

    @Test func typeOfADomainThatIsOffNeverMatches() {
        expectEqual(
            names().warning(ofTypes: "aurora.alert.raised"),
            "no event has the type aurora.alert.raised: the section aurora is missing"
        )
    }

    @Test func otherTypesAreThoseOfBackends() {
        expectNil(names().warning(ofTypes: "shop.paid"))
        let warning = names(hasBackends: false).warning(ofTypes: "chta.paid") ?? ""
        expect(warning.contains("without api.keys no backend publishes"), "\(warning)")
        expect(warning.hasSuffix("did you mean chat?"), "\(warning)")
    }

    @Test func warningsNameThePlaceInTheFilter() {
        let warnings = names().warnings(types: ["hub.*", "aurora.*"], topics: ["chat:*", "x:*"])
        expectEqual(warnings.map(\.path), ["types[1]", "topics[1]"])
    }

    @Test func warningsOfAConfigurationNameItsKeys() throws {
        let text = """
            webhooks:
              - name: pager
                url: https://example.org/
                secret: whsec_dmFyZGUtZGVtby1zZWNyZXQtMDAwMDAwMDA=
                topics: ["chat:*", "x:*"]
            """
        let loaded = try LoadedConfiguration(file: ("test.yaml", text), domains: [])
        expectEqual(loaded.warnings(names()).map(\.path), ["webhooks[0].topics[1]"])
    }
}

import Configuration
import ConfigurationTesting
import Expectations
import Service

@Suite("Namespace rules: API keys", .timeLimit(.minutes(10)))
struct NamespaceRulesKeysTests {
    /// A domain that lets no client read `domain:own`, and decides nothing while it is `away`.
    private struct OnlyOwn: TopicRules {
        var isAway = false

        func exists(_ topic: Topic) -> Bool { !isAway && topic.name == "domain:own" }
        func canDecide(about topic: Topic, _ identity: Identity) -> Bool { !isAway }
        func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool? { false }
    }

    private func rules(isAway: Bool = false) -> NamespaceRules {
        NamespaceRules(
            [
                Configuration.Namespace("chat") {
                    $0.anonymousSubscribe = false
                    $0.subscribe = .nobody
                },
                Configuration.Namespace("domain") { $0.anonymousSubscribe = false },
                // No configuration can have it; it would still be reserved.
                Configuration.Namespace("hub"),
            ],
            domains: ["domain": OnlyOwn(isAway: isAway)],
            reserved: ["hub"],
            topicsForKeys: [Topic(trusted: "hub:stats")]
        )
    }

    private func read(_ name: String, _ grant: APIKeyGrant) -> NamespaceRules.KeyDecision {
        rules().read(Topic(trusted: name), by: grant)
    }

    @Test(
        arguments: [
            ("chat:a", .allowed), ("chat", .allowed), ("domain:own", .allowed),
            ("domain:other", .unknown), ("nowhere:a", .unknown), ("Chat:a", .unknown),
            ("hub:stats", .allowed), ("hub:webhooks", .unknown), ("hub:stats:a", .unknown),
            ("hub", .unknown),
        ] as [(String, NamespaceRules.KeyDecision)]
    )
    func keyWithoutScopesReadsAllThatExists(name: String, decision: NamespaceRules.KeyDecision) {
        expectEqual(read(name, APIKeyGrant(name: "k")), decision)
        expectEqual(read(name, APIKeyGrant(name: "k", isReadOnly: true)), decision)
    }

    @Test func ordinaryTopicNeedsTheScopeHistory() {
        let grant = APIKeyGrant(name: "k", methods: ["publishing", "info"])
        expectEqual(read("chat:a", grant), .missing(scope: "methods: history"))
        expectEqual(read("nowhere:a", grant), .missing(scope: "methods: history"))
        expectEqual(read("hub:stats", grant), .allowed)
        expectEqual(read("hub:webhooks", grant), .unknown)
        expectEqual(read("chat:a", APIKeyGrant(name: "k", methods: ["history"])), .allowed)
    }

    @Test func topicNeedsItsNamespace() {
        let grant = APIKeyGrant(name: "k", namespaces: ["chat"])
        expectEqual(read("chat:a", grant), .allowed)
        expectEqual(read("domain:own", grant), .missing(scope: "namespaces: domain"))
        expectEqual(read("nowhere:a", grant), .missing(scope: "namespaces: nowhere"))
        expectEqual(read("hub:stats", grant), .unknown, "info is not limited to namespaces")
    }

    @Test func reservedTopicExistsOnlyWithTheScopeInfo() {
        expectEqual(read("hub:stats", APIKeyGrant(name: "k", methods: ["history"])), .unknown)
        expectEqual(read("hub:stats", APIKeyGrant(name: "k", methods: ["reading"])), .allowed)
        expectNil(NamespaceRules([], reserved: ["hub"]).features(of: Topic(trusted: "hub:a")))
    }

    @Test func onlyTheTopicIsReservedInANamespaceOfOthers() {
        let rules = NamespaceRules([.hub], topicsForKeys: NamespaceRules.topicsForKeys)
        expect(rules.isReserved(.stats))
        expectNil(rules.features(of: .stats))
        expectNil(rules.features(ofNamespace: .stats))
        expectEqual(rules.subscribe(to: .stats, by: .anonymous, isGranted: true), .unknown)
        expectEqual(rules.read(.stats, by: APIKeyGrant(name: "k")), .allowed)
        for name in ["hub:webhooks", "hub:statistics", "hub:stat", "hub"] {
            let topic = Topic(trusted: name)
            expect(!rules.isReserved(topic))
            expect(rules.features(of: topic) != nil)
            expect(rules.features(ofNamespace: topic) != nil)
        }
    }

    @Test func domainThatCannotDecideLeavesItOpen() {
        let rules = rules(isAway: true)
        let own = Topic(trusted: "domain:own")
        expectEqual(rules.read(own, by: APIKeyGrant(name: "k")), .undecided)
        let grant = APIKeyGrant(name: "k", namespaces: ["chat"])
        expectEqual(rules.read(own, by: grant), .missing(scope: "namespaces: domain"))
        expectEqual(rules.read(Topic(trusted: "chat:a"), by: grant), .allowed)
    }
}

import Aurora
import ConfigurationTesting
import Expectations
import LoopTesting

@testable import AuroraApp
@testable import Hub

@Suite("Namespace rules", .timeLimit(.minutes(10)))
struct NamespaceRulesTests {
    private func namespace(_ name: String, open: Bool) -> Configuration.Namespace {
        var namespace = Configuration.Namespace()
        namespace.name = name
        namespace.anonymousSubscribe = open
        return namespace
    }

    private func access(places: [Place] = [.tromso]) -> NamespaceRules {
        NamespaceRules(
            [
                namespace("aurora", open: true), namespace("chat", open: true),
                namespace("staff", open: false),
            ],
            domains: places.isEmpty ? [:] : ["aurora": AuroraTopicRules(places: places)]
        )
    }

    private func decide(_ rules: NamespaceRules, _ topic: Topic) -> AccessDecision {
        rules.subscribe(to: topic, by: .anonymous, isGranted: false)
    }

    @Test(
        arguments: [
            ("aurora:tromso", .allowed), ("aurora:tromso:alerts", .allowed),
            ("aurora:oval", .allowed), ("aurora:oval:alerts", .unknown),
            ("aurora:alta", .unknown), ("aurora:tromso:more", .unknown), ("aurora:", .unknown),
            ("aurora", .unknown), ("chat:anything", .allowed), ("chat", .allowed),
            ("staff:room", .needsToken), ("nobody:room", .unknown), ("chats:room", .unknown),
            ("Chat:room", .unknown),
        ] as [(String, AccessDecision)]
    )
    func namespaceAndPlaceDecide(name: String, decision: AccessDecision) throws {
        expectEqual(decide(access(), try Topic(name)), decision)
    }

    @Test func everyPlaceHasItsTwoTopics() throws {
        let alta = try Place(id: "alta", name: "Alta", latitude: 69.97, longitude: 23.27)
        let access = access(places: [.tromso, alta])
        for place in [Place.tromso, alta] {
            expectEqual(decide(access, auroraTopic(place)), .allowed)
            expectEqual(decide(access, auroraAlertsTopic(place)), .allowed)
        }
    }

    /// A namespace of that name without the domain is one like any other.
    @Test func withoutPlacesAllTopicsOfTheNamespaceAreKnown() throws {
        expectEqual(decide(access(places: []), try Topic("aurora:anything")), .allowed)
    }

    @Test func grantOpensWhatExistsAlone() throws {
        let rules = access()
        for (name, decision) in [
            ("staff:room", .allowed), ("aurora:alta", .unknown), ("nobody:room", .unknown),
        ] as [(String, AccessDecision)] {
            let topic = try Topic(name)
            let found = rules.subscribe(to: topic, by: .anonymous, isGranted: true)
            expectEqual(found, decision, "\(name)")
        }
    }

    @Test func rightsFollowTheNamespace() throws {
        var own = namespace("own", open: false)
        own.subscribe = .owner
        own.publish = .owner
        var users = namespace("users", open: false)
        users.subscribe = .users
        users.publish = .subscribers
        users.presence = true
        users.historySize = 0
        let rules = NamespaceRules([own, users])
        let (seven, eight) = (Identity(user: "7"), Identity(user: "8"))
        let topic = try Topic("own:7")
        expectEqual(rules.subscribe(to: topic, by: seven, isGranted: false), .allowed)
        expectEqual(rules.subscribe(to: topic, by: eight, isGranted: false), .denied(.notOwner))
        func decide(_ action: ClientAction, _ name: String, _ isSubscribed: Bool) -> AccessDecision
        {
            rules.decide(
                action,
                on: Topic(trusted: name),
                by: seven,
                isSubscribed: isSubscribed
            )
        }
        expectEqual(decide(.publish, "own:7", false), .allowed)
        expectEqual(decide(.publish, "own:8", true), .denied(.notOwner))
        expectEqual(decide(.publish, "users:a", true), .allowed)
        expectEqual(decide(.publish, "users:a", false), .denied(.notSubscribed))
        expectEqual(decide(.presence, "users:a", true), .allowed)
        expectEqual(decide(.presence, "own:7", true), .denied(.nobody))
        expectEqual(decide(.history, "users:a", true), .denied(.nobody))
        expectEqual(decide(.history, "own:7", true), .allowed)
    }

    @Test func withoutNamespacesNothingIsKnown() throws {
        expectEqual(decide(.none, try Topic("aurora:tromso")), .unknown)
        expectNil(NamespaceRules.none.features(of: try Topic("aurora:tromso")))
    }
}

import Aurora
import PubSub
import Testing

@testable import HubServer

@Suite("Topic access")
struct TopicAccessTests {
    private func namespace(_ name: String, open: Bool) -> Configuration.Namespace {
        var namespace = Configuration.Namespace()
        namespace.name = name
        namespace.anonymousSubscribe = open
        return namespace
    }

    private func access(places: [Place] = [.tromso]) -> TopicAccess {
        TopicAccess(
            namespaces: [
                namespace("aurora", open: true), namespace("chat", open: true),
                namespace("staff", open: false),
            ],
            places: places
        )
    }

    @Test(
        arguments: [
            ("aurora:tromso", .allowed), ("aurora:tromso:alerts", .allowed),
            ("aurora:alta", .unknown), ("aurora:tromso:more", .unknown), ("aurora:", .unknown),
            ("aurora", .unknown), ("chat:anything", .allowed), ("chat", .allowed),
            ("staff:room", .denied), ("nobody:room", .unknown), ("chats:room", .unknown),
            ("Chat:room", .unknown),
        ] as [(String, TopicAccess.Decision)]
    )
    func namespaceAndPlaceDecide(name: String, decision: TopicAccess.Decision) throws {
        #expect(access().decide(try Topic(name)) == decision)
    }

    @Test func everyPlaceHasItsTwoTopics() throws {
        let alta = try Place(id: "alta", name: "Alta", latitude: 69.97, longitude: 23.27)
        let access = access(places: [.tromso, alta])
        for place in [Place.tromso, alta] {
            #expect(access.decide(auroraTopic(place)) == .allowed)
            #expect(access.decide(auroraAlertsTopic(place)) == .allowed)
        }
    }

    /// A namespace of that name without the domain is one like any other.
    @Test func withoutPlacesAllTopicsOfTheNamespaceAreKnown() throws {
        #expect(access(places: []).decide(try Topic("aurora:anything")) == .allowed)
    }

    @Test func withoutNamespacesNothingIsKnown() throws {
        let access = TopicAccess(namespaces: [], places: [])
        #expect(access.decide(try Topic("aurora:tromso")) == .unknown)
    }
}

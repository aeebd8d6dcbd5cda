import API
import Configuration
import Expectations
import Foundation

@Suite("The description of the channels", .timeLimit(.minutes(1)))
struct ChannelDocumentTests {
    private static func namespace(
        _ name: String,
        _ change: (inout Configuration.Namespace) -> Void = { _ in }
    ) -> Configuration.Namespace {
        var namespace = Configuration.Namespace()
        namespace.name = name
        change(&namespace)
        return namespace
    }

    private func document(
        _ namespaces: [Configuration.Namespace],
        _ topics: [TopicDescription] = []
    ) throws -> [String: Any] {
        let json = ChannelDocument(namespaces, topics: topics, version: "1.2.3").json
        return try require(JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    }

    private func member(_ document: Any?, _ path: String...) -> Any? {
        path.reduce(document) { ($0 as? [String: Any])?[$1] }
    }

    @Test func namespaceWithoutDescribedTopicsHasOneChannel() throws {
        let document = try document([Self.namespace("chat")])
        expectEqual(document["asyncapi"] as? String, "3.0.0")
        expectEqual(member(document, "info", "version") as? String, "1.2.3")
        let channels = try require(document["channels"] as? [String: Any])
        expectEqual(Set(channels.keys), ["chat-topic"])
        expectEqual(member(channels, "chat-topic", "address") as? String, "chat:{topic}")
        expect(member(channels, "chat-topic", "parameters", "topic") != nil)
        expectNil(member(channels, "chat-topic", "messages", "publication", "payload"))
    }

    @Test func topicsOfDomainsHaveTheirSchemas() throws {
        let topics = [
            TopicDescription("film:{id}:notes", "Notes.", "film-event", readers: "Friends may."),
            TopicDescription("film:all", "All films.", nil),
            TopicDescription("other:{id}", "Of a domain that is off.", "other-event"),
        ]
        let document = try document([Self.namespace("film")], topics)
        let channels = try require(document["channels"] as? [String: Any])
        expectEqual(Set(channels.keys), ["film-id-notes", "film-all"])
        let payload = member(channels, "film-id-notes", "messages", "publication", "payload")
        expectEqual(member(payload, "schema", "$ref") as? String, "schemas/film-event.json")
        expectNil(member(channels, "film-all", "parameters"))
        let summary = member(document, "operations", "film-id-notes-subscribe", "summary")
        expectEqual(summary as? String, "Subscribe. Friends may.")
    }

    @Test(arguments: [
        (Configuration.Publishers.nobody, false, true), (.owner, true, true),
        (.anyone, true, false),
    ])
    func clientsPublishWhereTheNamespaceAllowsIt(
        publish: Configuration.Publishers,
        isListed: Bool,
        needsToken: Bool
    ) throws {
        let document = try document([Self.namespace("chat") { $0.publish = publish }])
        let operation = member(document, "operations", "chat-topic-publish")
        expectEqual((operation != nil), isListed)
        guard isListed else { return }
        expectEqual(member(operation, "action") as? String, "receive")
        expectEqual((member(operation, "security") != nil), needsToken)
    }

    @Test func openNamespaceNeedsNoToken() throws {
        let open = Self.namespace("open") { $0.anonymousSubscribe = true }
        let document = try document([open, Self.namespace("closed")])
        let operations = document["operations"]
        expectNil(member(operations, "open-topic-subscribe", "security"))
        expect(member(operations, "closed-topic-subscribe", "security") != nil)
        expectEqual(member(operations, "open-topic-subscribe", "action") as? String, "send")
    }

    @Test func topicsWhoseReadersTheDomainChoosesNeedATokenInAnOpenNamespace() throws {
        let topics = [
            TopicDescription("film:{id}", "Of one film.", nil),
            TopicDescription("film:user:{id}", "Of one user.", nil, readers: "Only the user may."),
        ]
        let open = Self.namespace("film") { $0.anonymousSubscribe = true }
        let operations = try document([open], topics)["operations"]
        expectNil(member(operations, "film-id-subscribe", "security"))
        expect(member(operations, "film-user-id-subscribe", "security") != nil)
    }

    @Test func historyIsDescribed() throws {
        let document = try document([
            Self.namespace("a") { $0.historySize = 7 },
            Self.namespace("b") { ($0.historySize, $0.durable) = (7, false) },
            Self.namespace("c") { $0.historySize = 0 },
        ])
        let texts = ["a", "b", "c"].map {
            member(document, "channels", "\($0)-topic", "description") as? String
        }
        expectEqual(
            texts,
            [
                "Any topic of the namespace. The newest 7 publications are kept.",
                "Any topic of the namespace. The newest 7 publications are kept in memory.",
                "Any topic of the namespace. Without a history.",
            ]
        )
    }
}

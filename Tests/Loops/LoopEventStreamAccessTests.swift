import Configuration
import ConfigurationTesting
import Expectations
import LoopTesting
import TokenTesting

@testable import Loops

@Suite("Loop: who may read event streams", .timeLimit(.minutes(10)))
struct LoopEventStreamAccessTests {
    private static let namespaces = [
        Configuration.Namespace("news"),
        Configuration.Namespace("own") {
            $0.anonymousSubscribe = false
            $0.subscribe = .owner
        },
        Configuration.Namespace("closed") { $0.anonymousSubscribe = false },
    ]

    private func withHub(
        requiresToken: Bool = false,
        shared: HubShared = HubShared(),
        _ body: (LoopFixture, TestTokens) async throws -> Void
    ) async throws {
        let tokens = try await TestTokens()
        try await withLoops(
            { $0.requiresToken = requiresToken },
            namespaces: Self.namespaces,
            verifier: tokens.verifier,
            shared: shared
        ) { hub in
            try await body(hub, tokens)
        }
    }

    private func open(
        _ hub: LoopFixture,
        _ query: String,
        _ fields: String...
    ) async throws -> (client: LoopTestClient, head: LoopTestClient.Response) {
        let client = try hub.connect()
        try await client.send(httpRequest("GET", "/events?topics=\(query)", fields))
        return (client, try await client.receiveHead())
    }

    @Test func tokenMayExpireInTheYear9999() async throws {
        try await withHub { hub, tokens in
            let token = try tokens.connection("42", lifetime: .seconds(250_000_000_000))
            let (client, head) = try await open(hub, "own:42&token=\(token)")
            expectEqual(head.status, 200)
            _ = try await client.receive(through: "\n\n")
            hub.publish("own:42", "1")
            try await expect(client.receive(through: "\n\n").hasSuffix("data: 1\n\n"))
        }
    }

    @Test(arguments: ["Authorization: Bearer", "authorization: bearer", "query"])
    func readerIsTheUserOfItsToken(place: String) async throws {
        let shared = HubShared()
        try await withHub(shared: shared) { hub, tokens in
            let token = try tokens.connection("42")
            let (client, head) =
                place == "query"
                ? try await open(hub, "own:42&token=\(token)")
                : try await open(hub, "own:42", "\(place) \(token)")
            expectEqual(head.status, 200)
            expectEqual(shared.clients.userCount, 1)
            _ = try await client.receive(through: "\n\n")
            hub.publish("own:42", "1")
            try await expect(client.receive(through: "\n\n").hasSuffix("data: 1\n\n"))
            await client.close()
            try await hub.wait { shared.clients.userCount == 0 }
        }
    }

    @Test func topicsOfTheTokenMayBeRead() async throws {
        try await withHub { hub, tokens in
            let token = try tokens.connection("42", topics: ["closed:a"])
            try await expectEqual(open(hub, "closed:a,news:a&token=\(token)").head.status, 200)
            try await expectEqual(open(hub, "closed:b&token=\(token)").head.status, 403)
        }
    }

    @Test(arguments: ["expired", "wrong signature", "subscription token", "no token"])
    func tokenThatProvesNothingOpensNothing(kind: String) async throws {
        let shared = HubShared()
        try await withHub(shared: shared) { hub, tokens in
            let foreign = try await TestTokens(secret: "another secret of enough bytes for it")
            let token =
                switch kind {
                case "expired": try tokens.expiredConnection("42")
                case "wrong signature": try foreign.connection("42")
                case "subscription token": try tokens.subscription("42", "news:a")
                default: "42"
                }
            // Not even what is open to all: the reader thinks that it is somebody.
            for (query, field) in [
                ("news:a&token=\(token)", "X: y"), ("news:a", "Authorization: Bearer \(token)"),
            ] {
                let client = try hub.connect()
                try await client.send(httpRequest("GET", "/events?topics=\(query)", [field]))
                let response = try await client.receiveResponse()
                expectEqual(response.status, 401)
                expectEqual(response.fields["www-authenticate"], #"Bearer realm="varde""#)
                expect(!response.body.contains(token) || token == "42")
            }
            expectEqual(shared.clients.userCount, 0)
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    @Test func readerWithoutATokenIsRefusedWhereOneIsRequired() async throws {
        try await withHub(requiresToken: true) { hub, tokens in
            try await expectEqual(open(hub, "news:a").head.status, 401)
            try await expectEqual(open(hub, "news:a&token=").head.status, 401)
            let token = try tokens.connection("42")
            try await expectEqual(open(hub, "news:a&token=\(token)").head.status, 200)
        }
    }

    @Test(arguments: [
        ("own:42", 403), ("news:a,own:42", 403), ("nowhere:a", 404), ("closed:a", 403),
    ])
    func topicThatIsNotTheReadersIsRefused(topics: String, status: Int) async throws {
        try await withHub { hub, tokens in
            let token = try tokens.connection("43")
            try await expectEqual(open(hub, "\(topics)&token=\(token)").head.status, status)
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    /// At 204 a browser stops coming back.
    @Test(arguments: ["own:42", "nowhere:a"])
    func readerThatComesBackAndMayNoLongerIsToldToStop(topics: String) async throws {
        try await withHub { hub, tokens in
            let token = try tokens.connection("43")
            let (client, head) = try await open(
                hub,
                "\(topics)&token=\(token)",
                "Last-Event-ID: 101"
            )
            expectEqual(head.status, 204)
            await expect(client.endsHere())
        }
    }

    @Test func streamEndsWithItsToken() async throws {
        let shared = HubShared()
        try await withHub(shared: shared) { hub, tokens in
            let token = try tokens.connection("42", lifetime: .seconds(600))
            let (client, head) = try await open(hub, "news:a,own:42&token=\(token)")
            expectEqual(head.status, 200)
            _ = try await client.receive(through: "\n\n")
            await hub.loops[0].letTimePass(.seconds(590))
            hub.publish("own:42", "1")
            try await expect(client.receive(through: "data: 1\n\n").contains("event: own:42"))
            await hub.loops[0].letTimePass(.seconds(601))
            hub.publish("own:42", "2")
            let rest = try await client.receiveAll()
            expect(rest.hasPrefix("retry: "))
            expect(!rest.contains("data: 2"))
            await client.close()
            try await hub.wait { shared.clients.userCount == 0 }
        }
    }
}

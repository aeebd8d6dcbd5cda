import Configuration
import ConfigurationTesting
import Core
import Expectations
import HubTesting
import LoopTesting

@testable import Loops

/// The application publishes to a topic without publications when a client wants the newest one.
@Suite("Loop: topics that the application fills", .timeLimit(.minutes(10)))
struct LoopCacheHooksTests {
    private static let namespaces = [
        Configuration.Namespace("state") {
            $0.recovery = .cache
            $0.historySize = 1
            $0.hooks.cacheEmpty = "app"
        },
        Configuration.Namespace("asked") {
            $0.recovery = .cache
            $0.historySize = 1
            $0.hooks.subscribe = "app"
            $0.hooks.cacheEmpty = "app"
        },
    ]

    private func withHooks(
        _ hooks: ScriptedHooks,
        _ body: (LoopFixture) async throws -> Void
    ) async throws {
        try await withLoops(
            namespaces: Self.namespaces,
            shared: HubShared(hooks: hooks),
            body
        )
    }

    private func connected(_ hub: LoopFixture) async throws -> LoopTestClient {
        let client = try hub.connect()
        try await client.send(webSocketRequest("/connection/websocket"))
        _ = try await client.receiveHead()
        _ = try await client.command(#"{"id":1,"connect":{}}"#)
        return client
    }

    private func subscribe(_ topic: String, id: Int = 2, recovers: Bool = true) -> String {
        let recovery = recovers ? #","recover":true"# : ""
        return #"{"id":\#(id),"subscribe":{"channel":"\#(topic)"\#(recovery)}}"#
    }

    @Test func publicationOfTheApplicationIsInTheAnswer() async throws {
        let hooks = ScriptedHooks { _ in nil }
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            try await client.sendText(subscribe("state:a"))
            while hooks.held.withLock({ $0.isEmpty }) { try await hub.settle() }
            hub.publish("state:a", "7")
            try await hooks.release(.success(.cacheEmpty(isPopulated: true)), in: hub)
            let reply = try await client.receiveText()
            expect(reply.contains(#""recovered":true"#), "\(reply)")
            expect(reply.contains(#""data":7"#), "\(reply)")
            expectEqual(
                hooks.asked.withLock { $0 },
                [
                    HookQuestion(.cacheEmpty(topic("state:a")), of: nil)
                ]
            )
            // The topic has a publication now.
            let next = try await connected(hub)
            try await expect(next.command(subscribe("state:a")).contains(#""data":7"#))
            expectEqual(hooks.asked.withLock { $0.count }, 1)
        }
    }

    /// Its history may be in the store only, where the position of the client shows that it has publications.
    @Test func clientThatHasTheNewestPublicationAsksNothing() async throws {
        let hooks = ScriptedHooks { _ in .success(.cacheEmpty(isPopulated: false)) }
        try await withHooks(hooks) { hub in
            hub.publish("state:a", "7")
            let first = try await connected(hub)
            let reply = try await first.command(subscribe("state:a", recovers: false))
            let epoch = try require(text("epoch", in: reply))
            let next = try await connected(hub)
            let recovery = #""recover":true,"epoch":"\#(epoch)","offset":1"#
            let command = #"{"id":2,"subscribe":{"channel":"state:a",\#(recovery)}}"#
            try await expect(next.command(command).contains(#""recovered":true"#))
            expect(hooks.asked.withLock { $0.isEmpty })
        }
    }

    @Test func topicStaysEmptyIfTheApplicationHasNothing() async throws {
        let hooks = ScriptedHooks { _ in .success(.cacheEmpty(isPopulated: false)) }
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            let reply = try await client.command(subscribe("state:a"))
            expect(reply.contains(#""subscribe":{"#), "\(reply)")
            expect(!reply.contains("publications"), "\(reply)")
            hub.publish("state:a", "7")
            try await expect(client.receiveText().contains(#""data":7"#))
        }
    }

    @Test func clientThatWantsNoRecoveryAsksNothing() async throws {
        let hooks = ScriptedHooks { _ in .success(.cacheEmpty(isPopulated: false)) }
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            let reply = try await client.command(subscribe("state:a", recovers: false))
            expect(reply.contains(#""subscribe":{"#), "\(reply)")
            expect(hooks.asked.withLock { $0.isEmpty })
        }
    }

    @Test(arguments: [
        HookOutcome.failure(.timeout), .success(.error(.init(code: 7, message: "no"))),
    ])
    func applicationThatCannotFillIsATemporaryError(outcome: HookOutcome) async throws {
        let hooks = ScriptedHooks { _ in outcome }
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            try await expectEqual(client.errorCode(subscribe("state:a")), 100)
            hooks.setAnswer { _ in .success(.cacheEmpty(isPopulated: false)) }
            let reply = try await client.command(subscribe("state:a", id: 3))
            expect(reply.contains(#""subscribe":{"#), "\(reply)")
        }
    }

    /// Both answers are about one command.
    @Test func subscriptionIsAllowedBeforeTheTopicIsFilled() async throws {
        let hooks = ScriptedHooks { question in
            switch question.event {
            case .subscribe:
                return .success(.subscribe { $0.subscription.data = Array("[1]".utf8) })
            default: return .success(.cacheEmpty(isPopulated: false))
            }
        }
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            let reply = try await client.command(subscribe("asked:a"))
            expect(reply.contains(#""data":[1]"#), "\(reply)")
            expectEqual(hooks.asked.withLock { $0.map(\.event) }, [.subscribe, .cacheEmpty])
            // The next command is not about these answers.
            let other = try await client.command(subscribe("asked:b", id: 3))
            expect(other.contains(#""data":[1]"#), "\(other)")
            expectEqual(hooks.asked.withLock { $0.count }, 4)
        }
    }

    @Test func clientThatMayNotSubscribeAsksNothing() async throws {
        let hooks = ScriptedHooks { _ in .success(.error(.init(code: 7, message: "no"))) }
        try await withHooks(hooks) { hub in
            let client = try await connected(hub)
            try await expectEqual(client.errorCode(subscribe("asked:a")), 7)
            expectEqual(hooks.asked.withLock { $0.map(\.event) }, [.subscribe])
        }
    }
}

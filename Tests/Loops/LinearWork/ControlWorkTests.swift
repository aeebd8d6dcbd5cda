import ClientWire
import Expectations
import LoopTesting

@testable import Loops

/// Requests of the server API to a loop: with twice as many connections of the user, or twice as many
/// subscriptions, they are twice the work.
@Suite("Linear work: server API on a loop", .enabled(if: Work.isCounted), .timeLimit(.minutes(10)))
struct ControlWorkTests {
    private static let user = ServerAPIRequest.Connections(user: "")

    private static let requests: [(name: String, body: @Sendable (isolated Loop) -> Void)] = [
        (
            "subscribe",
            { loop in
                loop.subscribe(.init(connections: user, topic: Topic(trusted: "news:b"))) { _ in }
            }
        ),
        ("unsubscribe", { $0.unsubscribe(user, from: Topic(trusted: "news:a")) }),
        ("disconnect", { $0.disconnect(.init(connections: user)) }),
        ("expire", { $0.refresh(.init(connections: user, expiry: .now)) }),
        ("refresh", { $0.refresh(.init(connections: user, expiry: .never)) }),
        ("end of a topic", { $0.endTopic(Topic(trusted: "news:a"), .topicRemoved, sparing: nil) }),
        ("revocations", { _ = $0.endRevoked(user: nil) }),
    ]

    @Test func requestsWithManyConnections() throws {
        for (name, body) in Self.requests {
            try expectLinearWork(name, units: 20) { units in
                let hub = try SteppedLoop()
                let clients = try (0..<units).map { _ in
                    let client = try hub.connectSession()
                    client.sendText(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
                    client.discard()
                    return client
                }
                return {
                    hub.ask(body)
                    hub.run()
                    withExtendedLifetime(clients) {}
                }
            }
        }
    }

    @Test func disconnectionWithManySubscriptions() throws {
        for (name, body) in Self.requests where name != "subscribe" {
            try expectLinearWork("\(name), one connection") { units in
                let fixture = try WorkFixture()
                for number in 0..<units {
                    let topic = number == 0 ? "news:a" : "news:a\(number)"
                    fixture.handle(fixture.frame([.subscribe(topic)]))
                }
                return {
                    fixture.hub.ask(body)
                    fixture.drain()
                }
            }
        }
    }
}

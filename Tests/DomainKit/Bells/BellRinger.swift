import DomainKit
import Logging

/// Rings the bells of one node, and counts the rings.
final class BellRinger: Sendable {
    private struct State {
        /// From the opening of the door: a request may come before `run` has begun.
        var isOpen = true
        var rings: [String: Int] = [:]
        var lastRing: [String: Timestamp] = [:]
        var topics: (any TopicControl)?
    }

    private let topics: [String: Topic]
    private let node: NodeContext
    private let state = Locked(State())

    init(_ bells: [BellsSection.Bell], _ node: NodeContext) {
        topics = Dictionary(uniqueKeysWithValues: bells.map { ($0.name, Topic(trusted: $0.topic)) })
        self.node = node
    }

    func close() { state.withLock { $0.isOpen = false } }

    func connect(_ topics: (any TopicControl)?) { state.withLock { $0.topics = topics } }

    var logger: Logger { node.logger }

    var count: Int { state.withLock { $0.rings.values.reduce(0, +) } }

    /// Rings a bell, and commits the event that reports it, with the webhooks that it causes.
    ///
    /// - Returns: the number of people who hear it; nil for an unknown bell.
    func ring(_ name: String) async throws -> Int? {
        guard let topic = topics[name] else { return nil }
        let (isOpen, control) = state.withLock { ($0.isOpen, $0.topics) }
        guard isOpen else { throw RouteRefusal.unavailable }
        let event = Event(
            id: uuidVersion7(wall: HubClock.wall, random: randomBytes(uuidRandomLength)),
            type: "bells.rung",
            source: "/bells",
            subject: name,
            time: node.clock.now,
            data: Array(#"{"node":"\#(node.node)"}"#.utf8)
        )
        let change = node.outbox.change(
            publishing: [TopicEvent(topic: topic, event: event)],
            wall: HubClock.wall,
            random: { randomBytes(uuidRandomLength) }
        )
        _ = try await node.store.commit(change)
        if !change.deliveries.isEmpty { node.outbox.wake() }
        state.withLock {
            $0.rings[name, default: 0] += 1
            $0.lastRing[name] = event.time
        }
        let hearers = await control?.subscribedTopics(inNamespaces: [String(topic.namespace)])
        return hearers?[topic] ?? 0
    }

    var table: StateTable {
        let (rings, last) = state.withLock { ($0.rings, $0.lastRing) }
        return StateTable(
            "Bells",
            columns: [
                .init("Bell"), .init("Topic"), .init("Rings", .count), .init("Last", .time),
            ],
            rows: topics.sorted { $0.key < $1.key }.map { name, topic in
                [
                    .text(name), .text(topic.name), .count(rings[name] ?? 0),
                    last[name].map { .time($0) } ?? .none,
                ]
            }
        )
    }
}

extension MetricsText {
    mutating func write(rings count: Int) {
        metric("hub_bells_rings_total", .counter, "Rings of bells on this node.", UInt64(count))
    }
}

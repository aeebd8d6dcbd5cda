import Expectations
import Foundation
import PostgresTesting
import StoreTesting

@testable import Store

/// A schema for the nodes of a cluster.
struct ClusterFixture {
    let schema = "c" + UUID().uuidString.replacing("-", with: "").lowercased()
    var lease = Duration.seconds(60)
    var staleAfter = Duration.seconds(5)
    var commit: @Sendable (SQLSession) throws -> Void = { try $0.commit() }
    var fate: @Sendable (SQLSession, CommitQuestion?, Duration) -> CommitFate = {
        $0.fate(of: $1, within: $2)
    }

    /// - Parameter node: nil for a hub without a cluster.
    func open(_ node: String?, _ migrations: [Migration] = []) throws -> HubStore {
        var options = StoreOptions(
            path: try testServer() + "&schema=" + schema,
            busyTimeout: .milliseconds(1),
            isDurable: isDurable,
            wallClock: { startOfTests },
            migrations: migrations,
            cluster: node.map {
                ClusterOptions(node: $0, lease: lease, staleAfter: staleAfter, version: "1")
            }
        )
        options.commit = commit
        options.fate = fate
        return try HubStore(options, wall: startOfTests, newEpoch: "epoch-" + UUID().uuidString)
    }

    /// Runs `body` with stores that follow the log, and closes them.
    func withNodes(_ names: [String], _ body: ([Node]) async throws -> Void) async throws {
        var nodes: [Node] = []
        do {
            for name in names { nodes.append(try await Node(open(name))) }
            try await body(nodes)
        } catch {
            for node in nodes { try? await node.store.close() }
            throw error
        }
        for node in nodes { try await node.store.close() }
    }

    /// Runs a statement in a connection of its own.
    @discardableResult
    func run(_ sql: String) throws -> PostgresResult {
        let connection = try PostgresConnection(testServer())
        try connection.execute("SET search_path = \(schema), pg_catalog")
        return try connection.run(sql)
    }
}

/// A node's store, and what its handlers were told.
struct Node: Sendable {
    enum Told: Equatable {
        case publication(Topic, UInt64, String)
        case removal(Topic, through: UInt64)
        case erasure(Topic, String)
        case forgotten(Topic)
        case note(String)
    }

    let store: HubStore
    private let log = Locked<[Told]>([])
    private let cursors = Locked<[UInt64]>([])

    init(_ store: HubStore, follows: Bool = true) async throws {
        self.store = store
        let (log, cursors) = (log, cursors)
        store.observe(\.committed) { publications in
            cursors.withLock { $0 += publications.map(\.cursor) }
            log.withLock { log in
                log += publications.map { .publication($0.topic, $0.offset, text($0)) }
            }
        }
        store.observe(\.removed) { removal in
            log.withLock { $0.append(.removal(removal.topic, through: removal.throughOffset)) }
        }
        store.observe(\.erased) { erasures in
            log.withLock { log in log += erasures.map { .erasure($0.topic, $0.value) } }
        }
        store.observe(\.forgot) { topics in
            log.withLock { log in log += topics.map { .forgotten($0.topic) } }
        }
        store.observe(\.noted) { note in log.withLock { $0.append(.note(note.kind)) } }
        guard follows else { return }
        _ = try await store.newestCursor()
        store.follow()
    }

    /// Everything that was told so far, once this node has caught up.
    func told() async -> [Told] {
        await withCheckedContinuation { continuation in
            store.catchUp { continuation.resume() }
        }
        return log.withLock { $0 }
    }

    var toldCursors: [UInt64] { cursors.withLock { $0 } }

    @discardableResult
    func publish(_ topic: Topic, _ text: String, key: String? = nil) async throws -> EventOutcome {
        var event = event(topic, text)
        event.idempotencyKey = key
        return try await store.publish(event)
    }
}

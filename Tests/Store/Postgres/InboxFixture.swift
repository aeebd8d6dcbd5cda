import Expectations
import Foundation
import PostgresTesting
import StoreTesting

@testable import Store

/// A schema of its own with an inbox, which the server drops with everything else.
struct InboxFixture {
    let schema: String
    var limits = StoreLimits()
    /// The maximum number of topics in memory.
    var memoryTopicsMax = Int.max
    /// Ends the transactions of the store.
    var commit: @Sendable (SQLSession) throws -> Void = { try $0.commit() }
    private let url: String

    init() throws {
        schema = "i" + UUID().uuidString.replacing("-", with: "").lowercased()
        url = try testServer() + "&schema=" + schema
    }

    func open() throws -> HubStore {
        var options = StoreOptions(
            path: url,
            isDurable: isDurable,
            memoryLimits: { [memoryTopicsMax] _ in MemoryTopicLimits(topicsMax: memoryTopicsMax) },
            wallClock: { startOfTests },
            limits: limits
        )
        options.commit = commit
        return try HubStore(options, wall: startOfTests, newEpoch: "epoch-1")
    }

    func withStore(_ body: (HubStore) async throws -> Void) async throws {
        let store = try open()
        do {
            try await body(store)
        } catch {
            try? await store.close()
            throw error
        }
        try await store.close()
    }

    /// A connection of an application. It never waits for a lock.
    func application(_ role: String? = nil) throws -> PostgresConnection {
        let connection = try PostgresConnection(testServer())
        try connection.execute("SET lock_timeout = '10s'")
        if let role { try connection.execute("SET ROLE \(role)") }
        return connection
    }

    /// Runs a statement in which `varde` is the fixture's schema.
    @discardableResult
    func run(
        _ sql: String,
        in connection: PostgresConnection? = nil
    ) throws -> PostgresResult {
        let connection = try connection ?? application()
        return try connection.run(sql.replacing("varde.", with: schema + "."))
    }

    /// Publishes a number on the topic `radar`.
    func publish(_ number: Int, in connection: PostgresConnection? = nil) throws {
        try run("SELECT varde.publish('\(radar.name)', '\(number)')", in: connection)
    }

    func count(_ table: String) throws -> Int64? {
        try run("SELECT count(*) FROM varde.\(table)").integer(0, 0)
    }

    func error(of sql: String, in connection: PostgresConnection? = nil) -> PostgresError? {
        do {
            try run(sql, in: connection)
            return nil
        } catch {
            return error as? PostgresError
        }
    }

    func endConnections(_ condition: String = "true") throws {
        try run(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE application_name = 'varde' AND pid <> pg_backend_pid() AND \(condition)
            """
        )
    }
}

extension HubStore {
    /// Publishes every row on its channel, with the row's request as payload.
    func takeAll(rowsMax: Int = 100, bytesMax: Int = 1 << 20) async throws -> InboxBatch {
        try await takeInbox(rowsMax: rowsMax, bytesMax: bytesMax) { .publish(change($0)) }
    }

    /// The values of `data` of the publications on a topic.
    func published(on topic: Topic = radar) async throws -> [String] {
        try await loadAll().first { $0.topic == topic }?.publications.map(data) ?? []
    }
}

/// A change that publishes a row as the server API's publications are.
func change(_ row: InboxRow) -> Change {
    var event = TopicEvent(
        topic: Topic(trusted: row.channel),
        time: startOfTests,
        payload: row.request,
        source: .serverAPI
    )
    let fields = try? JSONSerialization.jsonObject(with: Data(row.request)) as? [String: Any]
    event.idempotencyKey = fields?["idempotency_key"] as? String
    if let version = fields?["version"] as? UInt64 { event.version = EventVersion(number: version) }
    return Change(events: [event])
}

private func data(_ publication: Publication) -> String {
    let fields = try? JSONSerialization.jsonObject(with: Data(publication.payload))
    return (fields as? [String: Any]).flatMap { $0["data"] }.map { "\($0)" } ?? ""
}

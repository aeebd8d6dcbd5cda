// StoreTesting: stores of tests, and what the tests of tables ask of them.

import Dispatch
import Expectations
import Foundation
import GRDB

@testable import Store

/// Runs `body` with a directory of its own, and removes the directory afterwards.
package func withDirectory<Result>(
    _ body: (_ directory: String) async throws -> Result
) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("varde-store-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try await body(directory)
}

/// Runs `body` with a store in a directory of its own, and closes it.
package func withStore<Result>(
    synchronous: StoreOptions.Synchronous = .normal,
    isDurable: @escaping @Sendable (Topic) -> Bool = { _ in true },
    limits: StoreLimits = StoreLimits(),
    migrations: [Migration] = [],
    _ body: (HubStore) async throws -> Result
) async throws -> Result {
    try await withDirectory { directory in
        let store = try openStore(
            directory,
            synchronous: synchronous,
            isDurable: isDurable,
            limits: limits,
            migrations: migrations
        )
        let result = try await body(store)
        try await store.close()
        return result
    }
}

package func openStore(
    _ directory: String,
    synchronous: StoreOptions.Synchronous = .normal,
    boot: String? = "boot-1",
    startsNewEpoch: Bool = false,
    isDurable: @escaping @Sendable (Topic) -> Bool = { _ in true },
    limits: StoreLimits = StoreLimits(),
    wall: Timestamp = startOfTests,
    newEpoch: String = "epoch-1",
    migrations: [Migration] = [],
    commits: FailingCommits? = nil,
    commit: (@Sendable (SQLSession) throws -> Void)? = nil
) throws -> HubStore {
    var options = StoreOptions(
        path: TestEngine.location(directory),
        synchronous: synchronous,
        busyTimeout: .milliseconds(1),
        bootIdentifier: boot,
        startsNewEpoch: startsNewEpoch,
        isDurable: isDurable,
        wallClock: { wall },
        limits: limits,
        migrations: migrations
    )
    if let commit { options.commit = commit }
    if let commits { options.end(with: commits) }
    return try HubStore(options, wall: wall, newEpoch: newEpoch)
}

/// Copies what a killed process would leave: the database and its log, as they are at this moment.
package func copyStore(_ directory: String, to copy: String, walLength: Int? = nil) throws {
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    for name in ["varde.sqlite", "varde.sqlite-wal"] {
        var bytes = try require(FileManager.default.contents(atPath: directory + "/" + name))
        if name.hasSuffix("-wal"), let walLength { bytes = bytes.prefix(walLength) }
        try bytes.write(to: URL(fileURLWithPath: copy + "/" + name))
    }
}

/// Drops a table of a file that no store has open.
package func dropTable(_ table: String, in directory: String) throws {
    let database = try DatabaseQueue(path: directory + "/varde.sqlite")
    defer { try? database.close() }
    try database.writeWithoutTransaction { try $0.execute(sql: "DROP TABLE \(table)") }
}

/// 2026-01-01T00:00:00Z.
package let startOfTests = Timestamp(milliseconds: 1_767_225_600_000)

package let radar = Topic(trusted: "radar:1")
package let news = Topic(trusted: "news:global")
/// Kept in memory alone where `isDurable` is asked.
package let chat = Topic(trusted: "chat:1")

package let isDurable: @Sendable (Topic) -> Bool = { $0.namespace != "chat" }

package func event(_ topic: Topic, _ text: String, at seconds: Int = 0) -> TopicEvent {
    TopicEvent(topic: topic, time: startOfTests + .seconds(seconds), payload: Array(text.utf8))
}

package func text(_ publication: Publication) -> String {
    String(decoding: publication.payload, as: UTF8.self)
}

package func delivery(
    _ messageID: String,
    to endpoint: String = "endpoint-1",
    at seconds: Int = 0
) -> NewDelivery {
    NewDelivery(
        endpoint: endpoint,
        messageID: messageID,
        eventType: "radar.refreshed",
        subject: "radar/1",
        body: Array("{}".utf8),
        createdAt: startOfTests + .seconds(seconds)
    )
}

/// Everything is kept.
package let unlimited = HistoryLimit(count: 1_000_000, age: nil)

extension HubStore {
    /// Commits one event after the other.
    package func commit(_ events: [TopicEvent]) async throws {
        for event in events { _ = try await commit(Change(events: [event])) }
    }

    package func loadAll() async throws -> [StoredTopic] {
        try await loadTopics(now: startOfTests) { _ in unlimited }
    }

    /// The newest publications of every durable topic for which `limit` is not nil, in the order of the
    /// topics' rows.
    package func loadTopics(
        now: Timestamp,
        limit: @escaping @Sendable (Topic) -> HistoryLimit?
    ) async throws -> [StoredTopic] {
        let isDurable = durability
        let topics = try await reading { session in
            let sql = "SELECT \(TopicRow.columns) FROM topic ORDER BY id"
            let rows = try session.rows(sql, [], TopicRow.init).compactMap { row in
                isDurable(row.topic) ? limit(row.topic).map { (row, $0) } : nil
            }
            return try session.newest(rows, now: now)
        }
        for topic in topics { notices.reportDamage(of: topic) }
        return topics
    }

    package func publish(_ event: TopicEvent) async throws -> EventOutcome {
        try await commit(Change(events: [event])).outcomes[0]
    }

    /// How many rows each table of the file has, but for the hub's own row and the names of the
    /// schema's steps.
    func fileRowCounts() throws -> [String: Int] {
        try pool.read { database in
            let tables = try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM pragma_table_list
                    WHERE schema = 'main' AND type IN ('table', 'virtual')
                        AND name NOT LIKE 'sqlite_%' AND name NOT IN ('hub', 'migration')
                    """
            )
            var counts: [String: Int] = [:]
            for table in tables {
                counts[table] = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)")
            }
            return counts
        }
    }
}

/// Collects what the commit handler is told, and can hold the writer inside of it.
package final class CommitLog: Sendable {
    private struct State {
        var publications: [Publication] = []
        var calls = 0
    }

    private let state = Locked(State())
    private let gate = DispatchSemaphore(value: 0)

    package init() {}

    package var publications: [Publication] { state.withLock { $0.publications } }

    package func append(_ publications: [Publication]) {
        state.withLock {
            $0.publications += publications
            $0.calls += 1
        }
    }

    package func contains(_ publication: Publication) -> Bool {
        state.withLock { $0.publications.contains(publication) }
    }

    /// A handler that stops the writer in its first call until `open`.
    package func holdingHandler(_ publications: [Publication]) {
        append(publications)
        if state.withLock({ $0.calls }) == 1 { gate.wait() }
    }

    package func open() {
        gate.signal()
    }
}

/// Holds the writer in the commit of one event while `queue` starts tasks that queue `count`
/// writes: these become the next batch. Then runs `whileHeld`, lets the writer go on and waits for
/// the tasks.
package func holdingWriter<Value: Sendable>(
    of store: HubStore,
    queued count: Int,
    _ queue: () -> [Task<Value, any Error>],
    whileHeld: () async throws -> Void = {}
) async throws -> [Result<Value, any Error>] {
    let log = CommitLog()
    store.observe(\.committed) { log.holdingHandler($0) }
    let first = Task { try await store.commit(Change(events: [event(radar, "holds")])) }
    while log.publications.isEmpty { await Task.yield() }
    let tasks = queue()
    while store.statistics.writesWaiting < count { await Task.yield() }
    let outcome: Result<Void, any Error>
    do {
        outcome = .success(try await whileHeld())
    } catch {
        outcome = .failure(error)
    }
    log.open()
    _ = try await first.value
    var results: [Result<Value, any Error>] = []
    for task in tasks { results.append(await task.result) }
    try outcome.get()
    return results
}

extension Result {
    package var isSuccess: Bool {
        switch self {
        case .success: true
        case .failure: false
        }
    }
}

import Dispatch
import Foundation
import GRDB
import Locking
import PubSub
import Testing
import Timekeeping

@testable import Store

/// Runs `body` with a directory of its own, and removes the directory afterwards.
func withDirectory<Result>(
    _ body: (_ directory: String) async throws -> Result
) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("varde-store-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try await body(directory)
}

/// Runs `body` with a store in a directory of its own, and closes it.
func withStore<Result>(
    synchronous: StoreOptions.Synchronous = .normal,
    isDurable: @escaping @Sendable (Topic) -> Bool = { _ in true },
    limits: StoreLimits = StoreLimits(),
    _ body: (HubStore) async throws -> Result
) async throws -> Result {
    try await withDirectory { directory in
        let store = try openStore(
            directory,
            synchronous: synchronous,
            isDurable: isDurable,
            limits: limits
        )
        let result = try await body(store)
        try await store.close()
        return result
    }
}

func openStore(
    _ directory: String,
    synchronous: StoreOptions.Synchronous = .normal,
    boot: String? = "boot-1",
    startsNewEpoch: Bool = false,
    isDurable: @escaping @Sendable (Topic) -> Bool = { _ in true },
    limits: StoreLimits = StoreLimits(),
    wall: Timestamp = startOfTests,
    newEpoch: String = "epoch-1",
    migrations: [Migration] = [],
    commit: (@Sendable (Database) throws -> Void)? = nil
) throws -> HubStore {
    var options = StoreOptions(
        path: directory + "/varde.sqlite",
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
    return try HubStore(options, wall: wall, newEpoch: newEpoch)
}

/// Copies what a killed process would leave: the database and its log, as they are at this moment.
func copyStore(_ directory: String, to copy: String, walLength: Int? = nil) throws {
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    for name in ["varde.sqlite", "varde.sqlite-wal"] {
        var bytes = try #require(FileManager.default.contents(atPath: directory + "/" + name))
        if name.hasSuffix("-wal"), let walLength { bytes = bytes.prefix(walLength) }
        try bytes.write(to: URL(fileURLWithPath: copy + "/" + name))
    }
}

/// 2026-01-01T00:00:00Z.
let startOfTests = Timestamp(milliseconds: 1_767_225_600_000)

let radar = Topic(trusted: "radar:1")
let news = Topic(trusted: "news:global")
/// Kept in memory alone where `isDurable` is asked.
let chat = Topic(trusted: "chat:1")

let isDurable: @Sendable (Topic) -> Bool = { $0.namespace != "chat" }

func event(_ topic: Topic, _ text: String, at seconds: Int = 0) -> TopicEvent {
    TopicEvent(topic: topic, time: startOfTests + .seconds(seconds), payload: Array(text.utf8))
}

func text(_ publication: Publication) -> String {
    String(decoding: publication.payload, as: UTF8.self)
}

func delivery(
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
let unlimited = HistoryLimit(count: 1_000_000, age: nil)

extension HubStore {
    /// Commits one event after the other.
    func commit(_ events: [TopicEvent]) async throws {
        for event in events { _ = try await commit(Change(events: [event])) }
    }

    func loadAll() async throws -> [StoredTopic] {
        try await loadTopics(now: startOfTests) { _ in unlimited }
    }

    func publish(_ event: TopicEvent) async throws -> EventOutcome {
        try await commit(Change(events: [event])).outcomes[0]
    }

    /// Lets every write fail, as on a file that became read-only.
    func setQueryOnly(_ isOn: Bool) async throws {
        try await pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA query_only = \(isOn ? "ON" : "OFF")")
        }
    }

    /// How many rows of any kind the file holds.
    func rowCounts() throws -> [String: Int] {
        try pool.read { database in
            var counts: [String: Int] = [:]
            let tables = [
                "topic", "publication", "state", "feed", "alert", "delivery", "idempotency",
                "version", "radar", "deleted_radar", "opinion", "stance_cache", "spending",
                "delivery_tag", "forgotten",
            ]
            for table in tables {
                counts[table] = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)")
            }
            return counts
        }
    }
}

/// Collects what the commit handler is told, and can hold the writer inside of it.
final class CommitLog: Sendable {
    private struct State {
        var publications: [Publication] = []
        var calls = 0
    }

    private let state = Locked(State())
    private let gate = DispatchSemaphore(value: 0)

    var publications: [Publication] { state.withLock { $0.publications } }

    func append(_ publications: [Publication]) {
        state.withLock {
            $0.publications += publications
            $0.calls += 1
        }
    }

    func contains(_ publication: Publication) -> Bool {
        state.withLock { $0.publications.contains(publication) }
    }

    /// A handler that stops the writer in its first call until `open`.
    func holdingHandler(_ publications: [Publication]) {
        append(publications)
        if state.withLock({ $0.calls }) == 1 { gate.wait() }
    }

    func open() {
        gate.signal()
    }
}

/// Holds the writer in the commit of one event while `queue` starts tasks that queue `count` writes: these
/// become the next batch. Then runs `whileHeld`, lets the writer go on and waits for the tasks.
func holdingWriter<Value: Sendable>(
    of store: HubStore,
    queued count: Int,
    _ queue: () -> [Task<Value, any Error>],
    whileHeld: () async throws -> Void = {}
) async throws -> [Result<Value, any Error>] {
    let log = CommitLog()
    store.setCommitHandler { log.holdingHandler($0) }
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

extension HubStore {
    /// A writer that stands where the store's own one stood when it was opened.
    var testWriter: Writer {
        Writer(
            counters: TopicCounters(lastCursor: memoryCursorBase, limits: limits),
            settings: Writer.Settings(
                path: path,
                epoch: epoch,
                memoryEpoch: memoryEpoch,
                limits: limits
            )
        )
    }
}

extension Writer {
    /// Commits where all topics are durable.
    func commit(_ writes: [Write], in database: Database) -> [Result<Written, any Error>] {
        commit(writes, isDurable: { _ in true }, in: database).results
    }
}

extension Result {
    var isSuccess: Bool {
        switch self {
        case .success: true
        case .failure: false
        }
    }
}

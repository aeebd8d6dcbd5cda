import Dispatch
import Glibc

/// Keeps a node's place in its cluster, on a connection and a queue of its own: its name, its
/// row, which shows that it lives, and the lease of the leader, if it can have it.
///
/// `@unchecked Sendable`: after `init`, the variables are only used on the queue.
final class NodeKeeper: @unchecked Sendable {
    /// Called with the node's term as the leader; nil when it does not lead. It must be quick.
    typealias Handler = @Sendable (_ term: Int64?) -> Void

    /// A struct, because a function that is the `Value` of a generic type is wrapped at each access.
    private struct Report: Sendable {
        var handler: Handler = { _ in }
    }

    private static let leasePause = Duration.milliseconds(100)

    private let options: ClusterOptions
    private let process: String
    private let contracts: String
    private let connect: () throws -> PostgresConnection
    /// The number of the last batch that the node has applied.
    private var applied: @Sendable () -> Int64 = { 0 }
    /// The time since the server last answered the node's writer.
    private var silence: @Sendable () -> Duration = { .zero }
    private let queue = DispatchQueue(label: "store.node")
    private let leaseQueue = DispatchQueue(label: "store.lease")
    private var timer: QueueTimer?
    private var connection: PostgresConnection
    private let lease: Locked<Lease>
    private let handler = Locked(Report())
    /// Ends the lease by the node's own clock, while the queue waits for the server.
    private var leaseTimer: QueueTimer?
    /// Whether `noteApplied` has its turn on the queue.
    private let isNoting = Locked(false)

    /// Claims the node's name, and keeps the log for the node from now on. Blocks.
    ///
    /// - Parameter contracts: `PostgresSchema.contracts`.
    /// - Parameter patience: the server takes a moment to end the connections of a killed process.
    /// - Throws: `StoreError` if another process has the name.
    init(
        _ options: ClusterOptions,
        process: String,
        contracts: String,
        within patience: Duration,
        _ connect: @escaping () throws -> PostgresConnection
    ) throws {
        self.options = options
        self.process = process
        self.contracts = contracts
        self.connect = connect
        lease = Locked(Lease(length: options.lease))
        connection = try connect()
        let end = ContinuousClock.now + patience
        while try !NodeTable.claim(options.node, process: process, in: connection) {
            guard ContinuousClock.now < end else {
                throw StoreError(
                    .locked,
                    "another hub has the name \(options.node): set cluster.node to another one",
                    path: "cluster.node"
                )
            }
            usleep(20_000)
        }
        try NodeTable.note(
            options,
            process: process,
            applied: applied(),
            contracts: contracts,
            in: connection
        )
    }

    /// Begins to keep the node's row and to ask for the lease. Does not wait. Once only.
    ///
    /// - Parameters:
    ///   - applied: returns the number of the last batch that the node has applied.
    ///   - silence: returns the time since the server last answered the node's writer.
    func begin(
        applied: @escaping @Sendable () -> Int64,
        silence: @escaping @Sendable () -> Duration,
        _ handler: @escaping Handler
    ) {
        queue.async { [self] in
            self.applied = applied
            self.silence = silence
            self.handler.withLock { $0 = Report(handler: handler) }
            leaseTimer = QueueTimer(on: leaseQueue, every: Self.leasePause) { [weak self] in
                self?.change { $0.noteSilence(now: .now) }
            }
            keep()
            timer = QueueTimer(on: queue, every: pause) { [weak self] in self?.keep() }
        }
    }

    /// The row of a start that has failed would keep the log.
    deinit {
        guard connection.isOpen else { return }
        try? NodeTable.leave(process: process, in: connection)
        PostgresEngine.release(connection)
    }

    /// At least once a second, so that the log is not kept long.
    private var pause: Duration { min(lease.withLock { $0.pause }, .seconds(1)) }

    /// Gives the lease and the name back, and ends the connection.
    func stop() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                timer?.stop()
                leaseTimer?.stop()
                (timer, leaseTimer) = (nil, nil)
                handler.withLock { $0 = Report() }
                if lease.withLock({ $0.term }) != nil {
                    try? LeaseTable.giveBack(Lease.leader, process: process, in: connection)
                }
                try? NodeTable.leave(process: process, in: connection)
                // The server would free the name a moment after the end of the connection.
                PostgresEngine.release(connection)
                connection.close()
                continuation.resume()
            }
        }
    }

    /// Writes the number of the last applied batch soon, for a node that waits for this one. Does not
    /// wait.
    func noteApplied() {
        let isFirst = isNoting.withLock { isNoting in
            defer { isNoting = true }
            return !isNoting
        }
        guard isFirst else { return }
        queue.async { [self] in
            isNoting.withLock { $0 = false }
            guard timer != nil, connection.isOpen else { return }
            try? NodeTable.note(
                options,
                process: process,
                applied: applied(),
                contracts: contracts,
                in: connection
            )
        }
    }

    /// Gives the lease back, so that another node leads. This one asks again at once.
    func giveLeaseBack() {
        queue.async { [self] in
            try? LeaseTable.giveBack(Lease.leader, process: process, in: connection)
            change { $0.giveBack() }
        }
    }

    // MARK: On the queue

    private func keep() {
        let asked = ContinuousClock.now
        do {
            if !connection.isOpen { try reconnect() }
            try NodeTable.note(
                options,
                process: process,
                applied: applied(),
                contracts: contracts,
                in: connection
            )
            // A node that can write nothing does not lead.
            guard silence() < options.lease else { return change { $0.noteSilence(now: .now) } }
            let term = try LeaseTable.take(
                Lease.leader,
                process: process,
                node: options.node,
                length: options.lease,
                in: connection
            )
            change { $0.note(term: term, asked: asked) }
            if term != nil { try NodeTable.trimLog(in: connection) }
        } catch {
            change { $0.noteSilence(now: .now) }
        }
    }

    /// The name may have been lost with the connection.
    private func reconnect() throws {
        connection.close()
        connection = try connect()
        guard try NodeTable.claim(options.node, process: process, in: connection) else {
            connection.close()
            throw PostgresError(.noConnection, "another hub has the name \(options.node)")
        }
    }

    private func change(_ body: (inout Lease) -> Void) {
        // Under the lock, so that reports are in order.
        lease.withLock { lease in
            let before = lease.term
            body(&lease)
            if lease.term != before { handler.withLock { $0 }.handler(lease.term) }
        }
    }
}

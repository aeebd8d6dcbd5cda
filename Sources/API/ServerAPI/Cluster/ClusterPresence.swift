import Loops
import Service

/// Exchanges the presence of clients with the other nodes of a cluster.
///
/// A client is on one node, and its name is unique, so the table of a node holds the clients of all
/// nodes. Joins and leaves go through the log in batches; a node that begins asks for a snapshot of
/// each other node, and so do the others of one that was cut off. The subscriptions of a process
/// that has ended are removed when its lease would have ended.
package final class ClusterPresence: Sendable {
    private struct State {
        var outbox = PresenceOutbox()
        var remote = RemotePresence()
    }

    /// Collects changes that come together.
    private static let collecting = Duration.milliseconds(20)
    private static let checking = Duration.seconds(2)

    private let store: HubStore
    private let shared: HubShared
    private let process: String
    private let logger: Logger
    private let alarm = Alarm()
    private let state = Locked(State())

    /// Returns nil without a cluster.
    package init?(_ store: HubStore, _ shared: HubShared, logger: Logger) {
        guard let process = store.process else { return nil }
        self.store = store
        self.shared = shared
        self.process = process
        self.logger = logger
        shared.setPresenceHandler { [weak self] in self?.note($0) }
    }

    /// Notes a change by a client of this node.
    private func note(_ change: PresenceChange) {
        state.withLock { $0.outbox.note(PresenceMessage.Change(change)) }
        alarm.ring()
    }

    /// Takes a note of the log. Returns false for one about something else.
    ///
    /// - Throws: `DecodingError` for a message that this version cannot read.
    func take(_ note: ClusterNote) throws -> Bool {
        guard let message = try PresenceMessage.message(note) else { return false }
        guard message.process != process else { return true }
        if message.content == .wanted {
            state.withLock { $0.outbox.requestSnapshot() }
            alarm.ring()
        }
        show(state.withLock { $0.remote.apply(message) })
        return true
    }

    private func show(_ changes: [PresenceMessage.Change]) {
        for change in changes {
            shared.show(
                PresenceChange(
                    topic: change.topic,
                    info: change.info,
                    isJoin: change.isJoin,
                    isPresent: change.isPresent,
                    isAnnounced: change.isAnnounced
                )
            )
        }
    }

    // MARK: Work

    /// Sends this node's changes, until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            do {
                try await askIfWanted()
                while let content = state.withLock({ $0.outbox.take() }) { try await send(content) }
                try await removeEnded()
                try await askIfWanted()
            } catch {
                // The next snapshot includes it.
                state.withLock { $0.outbox.requestSnapshot() }
                logger.debug("presence not sent", metadata: ["err": "\(error)"])
                guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
                continue
            }
            await alarm.wait(orUntil: { try await Task.sleep(for: Self.checking) })
            guard (try? await Task.sleep(for: Self.collecting)) != nil else { return }
        }
    }

    private func send(_ content: PresenceMessage.Content) async throws {
        try await store.tell(try PresenceMessage(process: process, content: content).note())
    }

    private func askIfWanted() async throws {
        guard state.withLock({ $0.remote.isSnapshotWanted }) else { return }
        try await send(.wanted)
        state.withLock { $0.remote.noteAsked() }
    }

    /// Removes the subscriptions of processes that have ended.
    private func removeEnded() async throws {
        let living = try await store.livingProcesses()
        let leaves = state.withLock { state in
            // The other nodes have removed its clients.
            if !living.contains(process) { state.outbox.requestSnapshot() }
            let ended = state.remote.processes.subtracting(living)
            state.remote.note(living: living)
            return ended.flatMap { state.remote.remove($0) }
        }
        show(leaves)
    }
}

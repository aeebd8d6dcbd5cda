import LogOutput
import Logging
import Outbox
import Store
import Tasks

/// The place of a node in its cluster: whether it leads, and what it takes over from other nodes.
extension HubService {
    /// Asks for the lease of the leader, and leads while the node has it. Until the task `place` is
    /// cancelled.
    func keepPlace() {
        // Only the last term counts: in between, another node may have led.
        let (terms, continuation) = AsyncStream<Int64?>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        store.keepLease { continuation.yield($0) }
        place = Task { [wired, logger] in
            await withDiscardingTaskGroup { group in
                group.addTask { await self.keepTerm(terms) }
                group.addTask { await wired.node.followEndpoints(wired.leading, logger) }
            }
        }
    }

    /// Leads in each term of this node.
    ///
    /// A former term is over when its end is reported: its commits are refused until its work has
    /// ended.
    private func keepTerm(_ terms: AsyncStream<Int64?>) async {
        var held: Int64?
        for await term in terms where term != held {
            if held != nil {
                await follow()
                await store.setTerm(nil)
                held = nil
            }
            guard let term else { continue }
            await store.setTerm(term)
            do {
                try await lead()
                held = term
            } catch {
                logger.error("node cannot lead", metadata: ["err": "\(error)"])
                await store.setTerm(nil)
                store.giveLeaseBack()
            }
        }
    }
}

extension NodeParts {
    /// Reads the endpoints of webhooks again when the leader has changed them, until the task is
    /// cancelled.
    func followEndpoints(_ leading: Leading, _ logger: Logger) async {
        for await _ in endpointChanges.stream {
            // The leader has them: it was its change.
            guard leading.leader == nil else { continue }
            do {
                _ = try await webhooks()
            } catch {
                logger.warning(
                    "webhooks of another node not read",
                    metadata: ["err": "\(error)"],
                    source: LogSource.peer
                )
            }
        }
    }
}

/// Wakes a reader when the endpoints of webhooks have changed.
struct EndpointChanges: Sendable {
    let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func note() { continuation.yield() }
}

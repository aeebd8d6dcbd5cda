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
        place = Task { [wired, transport, logger] in
            await withDiscardingTaskGroup { group in
                group.addTask { await self.keepTerm(terms) }
                if let presence = wired.presence { group.addTask { await presence.run() } }
                if let surveys = wired.surveys {
                    let operations = wired.operations
                    group.addTask {
                        await surveys.run { question in
                            try await operations.answer(question) {
                                try await wired.node.readEndpoints(wired.leading)
                            }
                        }
                    }
                }
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
                // Until then, this node's commits are refused.
                wired.opened.readiness.set(
                    "this node is ending its work as the leader",
                    part: "leader"
                )
                await follow()
                await store.setTerm(nil)
                wired.opened.readiness.set(nil, part: "leader")
                held = nil
            }
            guard let term else { continue }
            await store.setTerm(term)
            do {
                // A commit of the former leader may be under way.
                try await store.passTerm()
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
    /// Reads the endpoints of webhooks again, unless this node leads: it has them then.
    func readEndpoints(_ leading: Leading) async throws {
        try await leading.turns.run {
            if leading.leader == nil { _ = try await webhooks() }
        }
    }

    /// Reads the endpoints of webhooks again when the leader has changed them, until the task is
    /// cancelled.
    func followEndpoints(_ leading: Leading, _ logger: Logger) async {
        for await _ in endpointChanges.stream {
            do {
                try await readEndpoints(leading)
            } catch {
                logger.warning(
                    "webhooks of another node not read",
                    metadata: ["err": "\(error)"],
                    source: LogSource.peer
                )
                guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
                endpointChanges.note()
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

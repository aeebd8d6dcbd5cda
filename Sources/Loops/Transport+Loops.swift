import ClientWire

/// Work on the loops. No code outside of `Transport` iterates over them, so their number and their
/// threads are decided in one place.
extension Transport {
    /// Runs a function on each loop, one loop after the other, within a turn.
    ///
    /// - Returns: the results, in the order of the loops.
    @discardableResult
    package func onEachLoop<Value: Sendable>(
        _ body: @escaping @Sendable (isolated Loop) -> Value
    ) async -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(loops.count)
        for loop in loops { values.append(await loop.perform(body)) }
        return values
    }

    /// Runs a function on one loop when a topic's history is in memory; nil if it cannot be read.
    package func onOneLoop<Value: Sendable>(
        withHistoryOf topic: Topic,
        _ body: @escaping @Sendable (isolated Loop) -> Value
    ) async -> Value? {
        await perform(on: loops[0], withHistoryOf: topic, body)
    }

    /// The same on each loop, one after the other.
    package func onEachLoop<Value: Sendable>(
        withHistoryOf topic: Topic,
        _ body: @escaping @Sendable (isolated Loop) -> Value
    ) async -> [Value]? {
        var values: [Value] = []
        for loop in loops {
            guard let value = await perform(on: loop, withHistoryOf: topic, body) else {
                return nil
            }
            values.append(value)
        }
        return values
    }

    private func perform<Value: Sendable>(
        on loop: Loop,
        withHistoryOf topic: Topic,
        _ body: @escaping @Sendable (isolated Loop) -> Value
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            let work = LoopMessage.Work { loop in
                loop.withHistories(of: [topic]) { loop, hasFailed in
                    continuation.resume(returning: hasFailed ? nil : body(loop))
                }
            }
            let isTaken = loop.mailbox.post(.work(work))
            precondition(isTaken, "loop \(loop.eventLoop.name) has stopped taking messages")
        }
    }

    /// Subscribes connections on each loop. Returns false if the topic's history cannot be read.
    package func subscribe(_ request: ServerAPIRequest.Subscribe) async -> Bool {
        var isRead = true
        for loop in loops {
            let isReadHere = await withCheckedContinuation { continuation in
                let work = LoopMessage.Work { loop in
                    loop.subscribe(request) { continuation.resume(returning: $0) }
                }
                let isTaken = loop.mailbox.post(.work(work))
                precondition(isTaken, "loop \(loop.eventLoop.name) has stopped taking messages")
            }
            isRead = isRead && isReadHere
        }
        return isRead
    }

    /// Posts a function to each loop, among the commits: it runs behind the publications that were
    /// posted before and ahead of later ones. Does not wait.
    package func postToEachLoop(_ body: @escaping @Sendable (isolated Loop) -> Void) {
        for loop in loops {
            let isTaken = loop.mailbox.post(.work(.init(body: body)))
            precondition(isTaken, "loop \(loop.eventLoop.name) has stopped taking publications")
        }
    }

}

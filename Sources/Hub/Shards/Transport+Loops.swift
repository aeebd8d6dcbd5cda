/// Work on the loops. No code outside of `Transport` iterates over them, so their number and their
/// threads are decided in one place.
extension Transport {
    /// Runs a function on each loop, one loop after the other, within a turn.
    ///
    /// - Returns: the results, in the order of the loops.
    @discardableResult
    package func onEachLoop<Value: Sendable>(
        _ body: @escaping @Sendable (isolated Shard) -> Value
    ) async -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(shards.count)
        for shard in shards { values.append(await shard.perform(body)) }
        return values
    }

    /// Posts a function to each loop, among the commits: it runs behind the publications that were
    /// posted before and ahead of later ones. Does not wait.
    package func postToEachLoop(_ body: @escaping @Sendable (isolated Shard) -> Void) {
        for shard in shards {
            let isTaken = shard.mailbox.post(.work(.init(body: body)))
            precondition(isTaken, "loop \(shard.loop.name) has stopped taking publications")
        }
    }

    /// Runs a function on one loop, within a turn: for data that all loops share.
    package func onOneLoop<Value: Sendable>(
        _ body: @escaping @Sendable (isolated Shard) -> Value
    ) async -> Value {
        await shards[0].perform(body)
    }
}

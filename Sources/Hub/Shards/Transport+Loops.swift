/// Work on the loops. Outside of `Transport` no code iterates over them, so how many there are, and where
/// they run, is decided in one place.
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

    /// Runs a function on one loop, within a turn: for what all loops hold alike.
    package func onOneLoop<Value: Sendable>(
        _ body: @escaping @Sendable (isolated Shard) -> Value
    ) async -> Value {
        await shards[0].perform(body)
    }
}

/// Limits the log entries about publications that alert rules have not evaluated: one at once, then
/// one per minute for each reason and kind of owner. Without the limit, a hub that cannot keep up
/// would log an entry for each batch.
package struct PassedOverLog: Sendable {
    private static let interval = Duration.seconds(60)

    private struct Entry {
        /// The number that is not logged yet.
        var count: Int
        var next: ContinuousClock.Instant
    }

    private struct Key: Hashable {
        var reason: AlertCounts.PassedOver
        var owner: AlertOwner.Kind
    }

    private var entries: [Key: Entry] = [:]

    /// - Returns: the number of publications to log; nil before the next entry is due.
    package mutating func take(
        _ count: Int,
        _ reason: AlertCounts.PassedOver,
        of owner: AlertOwner.Kind,
        now: ContinuousClock.Instant
    ) -> Int? {
        let key = Key(reason: reason, owner: owner)
        let entry = entries[key] ?? Entry(count: 0, next: now)
        let untold = entry.count + count
        guard now >= entry.next else {
            entries[key] = Entry(count: untold, next: entry.next)
            return nil
        }
        entries[key] = Entry(count: 0, next: now + PassedOverLog.interval)
        return untold
    }
}

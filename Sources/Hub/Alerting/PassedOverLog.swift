import Alerts

/// Says when the log is to hear of publications that alert rules have not looked at: at once, and then once a
/// minute for each reason and kind of owner, or a hub that cannot keep up would write a line for each batch.
package struct PassedOverLog: Sendable {
    private static let interval = Duration.seconds(60)

    private struct Entry {
        /// Not told of yet.
        var count: Int
        var next: ContinuousClock.Instant
    }

    private struct Key: Hashable {
        var reason: AlertCounts.PassedOver
        var owner: AlertOwner.Kind
    }

    private var entries: [Key: Entry] = [:]

    /// - Returns: how many have not been told of; nil when it is too early.
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

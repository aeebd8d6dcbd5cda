/// Says when the log is to hear of publications that alert rules have not looked at: at once, and then once a
/// minute for each reason, or a hub that cannot keep up would write a line for each batch.
struct PassedOverLog: Sendable {
    private static let interval = Duration.seconds(60)

    private struct Entry {
        /// Not told of yet.
        var count: Int
        var next: ContinuousClock.Instant
    }

    private var entries: [AlertCounts.PassedOver: Entry] = [:]

    /// - Returns: how many have not been told of; nil when it is too early.
    mutating func take(
        _ count: Int,
        _ reason: AlertCounts.PassedOver,
        now: ContinuousClock.Instant
    ) -> Int? {
        let entry = entries[reason] ?? Entry(count: 0, next: now)
        let untold = entry.count + count
        guard now >= entry.next else {
            entries[reason] = Entry(count: untold, next: entry.next)
            return nil
        }
        entries[reason] = Entry(count: 0, next: now + PassedOverLog.interval)
        return untold
    }
}

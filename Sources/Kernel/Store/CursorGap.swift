/// Cursors that a transaction leaves out in front of its own, for events of memory topics that are
/// announced while it waits for the disk.
struct CursorGap: Equatable {
    /// The last that was given out.
    var last: UInt64
    /// The last of the gap.
    var end: UInt64
}

/// How many cursors transactions may leave out: on average half a million a second, half of what a new epoch
/// allows for (`StoreIdentity`).
///
/// A transaction gets a quarter of what has come together, so that the first slow one after many fast ones
/// does not find nothing.
struct CursorAllowance {
    private static let perSecond = 500_000.0
    /// What comes together in four seconds.
    private static let amountMax = 4 * perSecond

    private var amount = amountMax
    private var latest: ContinuousClock.Instant?

    mutating func take(now: ContinuousClock.Instant) -> UInt64 {
        if let latest, now > latest {
            let seconds = (now - latest) / .seconds(1)
            amount = min(Self.amountMax, amount + seconds * Self.perSecond)
        }
        latest = max(latest ?? now, now)
        let taken = (amount / 4).rounded(.down)
        amount -= taken
        return UInt64(taken)
    }
}

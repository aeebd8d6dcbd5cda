/// Cursors that a transaction leaves out before its own, for events of memory topics that are
/// announced while it waits for the disk.
struct CursorGap: Equatable {
    /// The last cursor that was assigned.
    var last: UInt64
    /// The last cursor of the gap.
    var end: UInt64
}

/// The number of cursors that transactions may leave out: on average half a million a second, half
/// of the allowance of a new epoch (`StoreIdentity`).
///
/// A transaction gets a quarter of the accumulated amount, so that some are left for the first slow
/// one after many fast ones.
struct CursorAllowance {
    private static let perSecond = 500_000.0
    /// The amount that accumulates in four seconds.
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

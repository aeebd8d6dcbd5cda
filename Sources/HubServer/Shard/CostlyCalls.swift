/// What calls have cost lately: lists and searches of the loop's tables, which take milliseconds. Counted for each
/// client, and for all clients of a loop together.
///
/// A client whose calls cost much waits until the others have had their turn, and when those of all clients
/// do, calls wait until the loop has done other things. What counts leaks away, so a client that lists topics now
/// and then waits for nobody.
struct CostlyCalls {
    /// A page of topics counts for nearly as much, so two such pages in a second are not too much for a client.
    static let ofClient = CostlyCalls(bytesMax: 32 << 10, leakedPerMillisecond: 64)
    /// Two such pages at once, and later one in four milliseconds: about a fifth of the loop's time.
    static let ofLoop = CostlyCalls(bytesMax: 64 << 10, leakedPerMillisecond: 8 << 10)

    let bytesMax: Int
    let leakedPerMillisecond: Int
    private var bytes = 0
    private var time = Int64.min

    init(bytesMax: Int, leakedPerMillisecond: Int) {
        self.bytesMax = bytesMax
        self.leakedPerMillisecond = leakedPerMillisecond
    }

    /// - Parameter bytes: of a turn's work.
    mutating func add(_ bytes: Int, now: Int64) {
        self.bytes = left(now: now) + bytes
        time = now
    }

    func areTooMany(now: Int64) -> Bool { bytes > 0 && left(now: now) > bytesMax }

    /// When they are no longer too many, in milliseconds; `now` when they are not.
    func end(now: Int64) -> Int64 {
        let excess = left(now: now) - bytesMax
        guard bytes > 0, excess > 0 else { return now }
        return now + Int64((excess + leakedPerMillisecond - 1) / leakedPerMillisecond)
    }

    private func left(now: Int64) -> Int {
        guard bytes > 0 else { return 0 }
        let elapsed = min(max(0, now - time), Int64(bytes))
        return max(0, bytes - Int(elapsed) * leakedPerMillisecond)
    }
}

/// What a client's calls have cost lately: lists and searches of the loop's tables, which take milliseconds.
///
/// A client whose calls cost much waits until the others have had their turn. What counts leaks away, so a
/// client that lists topics now and then waits for nobody.
struct CostlyCalls {
    /// A page of topics counts for nearly as much.
    static let bytesMax = 32 << 10
    /// So two such pages in a second are not too much. A hundred clients with ten each would be the loop's whole
    /// time.
    static let leakedPerMillisecond = 64

    private var bytes = 0
    private var time = Int64.min

    /// - Parameter bytes: of a turn's work.
    mutating func add(_ bytes: Int, now: Int64) {
        self.bytes = left(now: now) + bytes
        time = now
    }

    func areTooMany(now: Int64) -> Bool { bytes > 0 && left(now: now) > CostlyCalls.bytesMax }

    private func left(now: Int64) -> Int {
        guard bytes > 0 else { return 0 }
        let elapsed = min(max(0, now - time), Int64(bytes))
        return max(0, bytes - Int(elapsed) * CostlyCalls.leakedPerMillisecond)
    }
}

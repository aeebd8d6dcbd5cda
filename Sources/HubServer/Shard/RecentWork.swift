/// The work of one costly kind that was done lately, in bytes: a leaky bucket.
///
/// Lists and searches of the loop's tables take milliseconds, and a kilobyte of compressed input inflates to
/// thousand. Such work is counted for each loop, and calls for each client, too. While it is too much, it waits, and
/// the loop does other things. What counts leaks away, so who does such work now and then waits for nobody.
struct RecentWork {
    /// A page of topics counts for nearly as much, so two such pages in a second are not too much for a client.
    static let callsOfClient = RecentWork(bytesMax: 32 << 10, leakedPerMillisecond: 64)
    /// Two such pages at once, and later one in four milliseconds: about a fifth of the loop's time.
    static let callsOfLoop = RecentWork(bytesMax: 64 << 10, leakedPerMillisecond: 8 << 10)
    /// 128 MB a second, which takes about a third of the loop's time.
    static let inflatingOfLoop = RecentWork(bytesMax: 256 << 10, leakedPerMillisecond: 128 << 10)

    let bytesMax: Int
    let leakedPerMillisecond: Int
    private var bytes = 0
    private var time = Int64.min

    init(bytesMax: Int, leakedPerMillisecond: Int) {
        self.bytesMax = bytesMax
        self.leakedPerMillisecond = leakedPerMillisecond
    }

    mutating func add(_ bytes: Int, now: Int64) {
        self.bytes = left(now: now) + bytes
        time = now
    }

    func isTooMuch(now: Int64) -> Bool { bytes > 0 && left(now: now) > bytesMax }

    /// When it is no longer too much, in milliseconds; `now` when it is not.
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

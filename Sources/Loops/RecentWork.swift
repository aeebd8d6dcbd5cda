/// The recent costly work of a loop for all its clients: calls, and compressed input.
package struct CostlyWork {
    package var calls = RecentWork.callsOfLoop
    /// The inflated bytes of input.
    package var inflating = RecentWork.inflatingOfLoop

    /// The kinds of work for which there is time.
    package func allowance(now: Int64) -> PostponedOrder.Allowance {
        PostponedOrder.Allowance(
            calls: !calls.isTooMuch(now: now),
            inflating: !inflating.isTooMuch(now: now)
        )
    }
}

/// A leaky bucket for one kind of costly work, in bytes.
///
/// A page of topics takes a loop most of a millisecond, and a kilobyte of compressed input can
/// inflate to a megabyte. Each loop counts such work, and calls are also counted for each client.
/// While the bucket is over its limit, more work of that kind waits, and the loop serves other
/// clients. The bucket drains with time, so that occasional work does not wait.
package struct RecentWork {
    /// About one page of topics at once, and two a second.
    package static let callsOfClient = RecentWork(bytesMax: 32 << 10, leakedPerMillisecond: 64)
    /// About two pages at once, and then one every three milliseconds: a fifth of the loop's time.
    package static let callsOfLoop = RecentWork(bytesMax: 64 << 10, leakedPerMillisecond: 8 << 10)
    /// 128 MiB a second: about a third of the loop's time.
    package static let inflatingOfLoop = RecentWork(
        bytesMax: 256 << 10,
        leakedPerMillisecond: 128 << 10
    )

    package let bytesMax: Int
    package let leakedPerMillisecond: Int
    private var bytes = 0
    private var time = Int64.min

    package init(bytesMax: Int, leakedPerMillisecond: Int) {
        self.bytesMax = bytesMax
        self.leakedPerMillisecond = leakedPerMillisecond
    }

    package mutating func add(_ bytes: Int, now: Int64) {
        self.bytes = left(now: now) + bytes
        time = now
    }

    package func isTooMuch(now: Int64) -> Bool { bytes > 0 && left(now: now) > bytesMax }

    /// The time at which it is below the limit again, in milliseconds; `now` if it already is.
    package func end(now: Int64) -> Int64 {
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

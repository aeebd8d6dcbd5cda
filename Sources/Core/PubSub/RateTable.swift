/// Buckets of one limit by user, address or whatever else tells callers apart.
///
/// Bounded. A bucket that is full again is as good as none, so nothing is lost with it: each call to
/// `take` looks at `sweepCount` buckets in turn and forgets the full ones. Only when all places are
/// taken, and none of those that are looked at is full, one of them goes that is not: the one that is
/// full the soonest. Its caller gets more than its share then, once, and `evictedCount` counts it: a
/// table that evicts is too small for who comes.
package struct RateTable<Key: Hashable & Sendable>: Sendable {
    /// Looked at in one call. Two or more, so that they are forgotten faster than new ones come.
    package static var sweepCount: Int { 4 }

    package let limit: RateLimit
    package let countMax: Int
    /// Buckets that were forgotten before they were full.
    package private(set) var evictedCount = 0
    private var places: [Key: Int32] = [:]
    private var keys: [Key] = []
    /// By the place of the key: when the bucket is full, in nanoseconds.
    private var fullTimes: [Int64] = []
    /// The place at which the next look begins.
    private var next = 0

    package init(_ limit: RateLimit, countMax: Int) {
        precondition((1...Int(Int32.max)).contains(countMax), "\(countMax) buckets")
        self.limit = limit
        self.countMax = countMax
    }

    package var count: Int { keys.count }

    /// Takes tokens from the bucket of `key`; see `TokenBucket.take`.
    ///
    /// - Complexity: O(1).
    package mutating func take(_ key: Key, count: Int = 1, now: Int64) -> Bool {
        if let place = places[key] {
            // Not before: a full bucket would be forgotten only to begin anew.
            defer { sweep(now: now) }
            var bucket = TokenBucket(limit, fullAt: fullTimes[Int(place)])
            guard bucket.take(count, now: now) else { return false }
            fullTimes[Int(place)] = bucket.fullAt
            return true
        }
        sweep(now: now)
        var bucket = TokenBucket(limit)
        guard bucket.take(count, now: now) else { return false }
        if keys.count == countMax { evict() }
        places[key] = Int32(keys.count)
        keys.append(key)
        fullTimes.append(bucket.fullAt)
        return true
    }

    /// See `TokenBucket.retryAfter`.
    package func retryAfter(_ key: Key, count: Int = 1, now: Int64) -> Int64 {
        let fullAt = places[key].map { fullTimes[Int($0)] } ?? .min
        return TokenBucket(limit, fullAt: fullAt).retryAfter(count, now: now)
    }

    private mutating func sweep(now: Int64) {
        for _ in 0..<min(Self.sweepCount, keys.count) {
            if next >= keys.count { next = 0 }
            if TokenBucket(limit, fullAt: fullTimes[next]).isFull(now: now) {
                remove(next)
            } else {
                next += 1
            }
        }
    }

    private mutating func evict() {
        let candidates = (0..<min(Self.sweepCount, keys.count)).map { (next + $0) % keys.count }
        remove(candidates.min { fullTimes[$0] < fullTimes[$1] }!)
        evictedCount += 1
    }

    private mutating func remove(_ place: Int) {
        places[keys[place]] = nil
        let key = keys.removeLast()
        let fullTime = fullTimes.removeLast()
        guard place < keys.count else { return }
        keys[place] = key
        fullTimes[place] = fullTime
        places[key] = Int32(place)
    }
}

/// Buckets of one limit by user, address or another identifier of callers.
///
/// Bounded. A bucket that is full again has no information, so each call to `take` inspects
/// `sweepCount` buckets in turn and removes the full ones. Only if all places are taken and none of
/// the inspected buckets is full, the one of them that would be full the soonest is evicted. Its
/// caller then gets more than its share, once, and `evictedCount` counts it: a table that evicts is
/// too small for the number of callers.
package struct RateTable<Key: Hashable & Sendable>: Sendable {
    /// The number of buckets inspected in one call. Two or more, so that they are removed faster
    /// than new ones come.
    package static var sweepCount: Int { 4 }

    package let limit: RateLimit
    package let countMax: Int
    /// The number of buckets that were evicted before they were full.
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
            // Not before: a full bucket would be removed only to be created again.
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

/// The topics with the most publications in the last seconds.
///
/// Counts in windows of ten seconds, and reports the last whole window together with the current
/// one: between ten and twenty seconds, and less in the beginning. With more topics than
/// `TopicCounters` has counters, rates are lower bounds.
///
/// Exists only while clients ask: `isWatched` turns false a minute after the last `watch`, and
/// the caller then drops the value. Times are those of a monotonic clock, in milliseconds.
package struct BusyTopics: Sendable {
    package static let countMax = 1024
    package static let watchMilliseconds: Int64 = 60_000
    private static let windowMilliseconds: Int64 = 10_000

    /// The rates of a topic, each for one second.
    package struct Rates: Sendable, Equatable {
        package let topic: Topic
        package let publications: Double
        /// Bytes of payloads, whatever the number of subscribers.
        package let bytes: Double
    }

    private var current: TopicCounters
    /// Nil before the end of the first window.
    private var last: TopicCounters?
    /// The begin of the current window.
    private var start: Int64
    private var watchedUntil: Int64
    private let countMax: Int

    package init(countMax: Int = BusyTopics.countMax, now: Int64) {
        self.countMax = countMax
        current = TopicCounters(countMax: countMax)
        start = now
        watchedUntil = now + BusyTopics.watchMilliseconds
    }

    package mutating func watch(now: Int64) {
        watchedUntil = max(watchedUntil, now + BusyTopics.watchMilliseconds)
    }

    package func isWatched(now: Int64) -> Bool { now < watchedUntil }

    /// Counts publications of a topic.
    package mutating func add(_ topic: Topic, publications: Int, bytes: Int, now: Int64) {
        endWindows(now: now)
        current.add(topic, publications: publications, bytes: bytes)
    }

    /// The topics in the order of their rates, the busiest first, and the seconds that the rates
    /// are of. No topics if no time has passed.
    ///
    /// - Complexity: O(n log n) for the n counters of two windows.
    package mutating func rates(now: Int64) -> (seconds: Double, topics: [Rates]) {
        endWindows(now: now)
        let milliseconds = now - start + (last == nil ? 0 : BusyTopics.windowMilliseconds)
        guard milliseconds > 0 else { return (0, []) }
        let seconds = Double(milliseconds) / 1000
        var sums: [Topic: (publications: UInt64, bytes: UInt64)] = [:]
        for counter in current.counters + (last?.counters ?? []) {
            let sum = sums[counter.topic] ?? (0, 0)
            sums[counter.topic] = (
                sum.publications + counter.publications, sum.bytes + counter.bytes
            )
        }
        let rates = sums.map { topic, sum in
            Rates(
                topic: topic,
                publications: Double(sum.publications) / seconds,
                bytes: Double(sum.bytes) / seconds
            )
        }
        return (seconds, rates.sorted(by: BusyTopics.isBusier))
    }

    private static func isBusier(_ one: Rates, _ other: Rates) -> Bool {
        if one.publications != other.publications { return one.publications > other.publications }
        if one.bytes != other.bytes { return one.bytes > other.bytes }
        return one.topic.name < other.topic.name
    }

    private mutating func endWindows(now: Int64) {
        let count = (now - start) / BusyTopics.windowMilliseconds
        guard count > 0 else { return }
        let fresh = TopicCounters(countMax: countMax)
        last = count == 1 ? current : fresh
        current = fresh
        start += count * BusyTopics.windowMilliseconds
    }
}

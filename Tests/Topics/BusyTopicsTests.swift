import Expectations

@testable import Topics

@Suite("Busiest topics", .timeLimit(.minutes(10)))
struct BusyTopicsTests {
    private let a = Topic(trusted: "news:a")
    private let b = Topic(trusted: "news:b")

    private func rates(_ busy: BusyTopics, now: Int64) -> [String] {
        var busy = busy
        let (seconds, topics) = busy.rates(now: now)
        return ["\(seconds) s"] + topics.map { "\($0.topic) \($0.publications) \($0.bytes)" }
    }

    @Test func thereAreNoRatesBeforeTimeHasPassed() {
        var busy = BusyTopics(now: 1000)
        busy.add(a, publications: 1, bytes: 1, now: 1000)
        expectEqual(rates(busy, now: 1000), ["0.0 s"])
    }

    @Test func ratesAreForOneSecond() {
        var busy = BusyTopics(now: 1000)
        busy.add(a, publications: 1, bytes: 100, now: 1000)
        busy.add(a, publications: 1, bytes: 300, now: 2000)
        busy.add(b, publications: 4, bytes: 8, now: 4000)
        expectEqual(rates(busy, now: 5000), ["4.0 s", "news:b 1.0 2.0", "news:a 0.5 100.0"])
    }

    @Test func bytesAndThenNamesOrderEqualRates() {
        var busy = BusyTopics(now: 0)
        for (name, bytes) in [("c", 1), ("b", 2), ("a", 1)] {
            busy.add(Topic(trusted: name), publications: 1, bytes: bytes, now: 0)
        }
        expectEqual(rates(busy, now: 1000), ["1.0 s", "b 1.0 2.0", "a 1.0 1.0", "c 1.0 1.0"])
    }

    @Test func windowBeforeTheCurrentOneCountsToo() {
        var busy = BusyTopics(now: 0)
        busy.add(a, publications: 40, bytes: 0, now: 0)
        expectEqual(rates(busy, now: 9_999)[0], "9.999 s")
        busy.add(b, publications: 20, bytes: 0, now: 10_000)
        expectEqual(rates(busy, now: 10_000), ["10.0 s", "news:a 4.0 0.0", "news:b 2.0 0.0"])
        expectEqual(rates(busy, now: 20_000 - 1).count, 3)
        // Only the window that ended at 20 s is left.
        expectEqual(rates(busy, now: 20_000), ["10.0 s", "news:b 2.0 0.0"])
        expectEqual(rates(busy, now: 30_000), ["10.0 s"])
        expectEqual(rates(busy, now: 95_000), ["15.0 s"])
    }

    @Test func topicOfBothWindowsIsListedOnce() {
        var busy = BusyTopics(now: 0)
        busy.add(a, publications: 10, bytes: 10, now: 5_000)
        busy.add(a, publications: 20, bytes: 20, now: 15_000)
        expectEqual(rates(busy, now: 20_000 - 5_000), ["15.0 s", "news:a 2.0 2.0"])
    }

    @Test func topicsAreBounded() {
        var busy = BusyTopics(countMax: 2, now: 0)
        for window in 0..<3 {
            for number in 0..<9 {
                let topic = Topic(trusted: "t:\(window):\(number)")
                busy.add(topic, publications: 1, bytes: 1, now: Int64(window) * 10_000)
            }
        }
        expectEqual(rates(busy, now: 29_000).count, 1 + 2 * 2)
    }

    @Test(arguments: [(59_999, true), (60_000, false)])
    func topicsAreWatchedForAMinute(milliseconds: Int64, isWatched: Bool) {
        var busy = BusyTopics(now: 7)
        expectEqual(busy.isWatched(now: 7 + milliseconds), isWatched)
        busy.watch(now: 1007)
        expectEqual(busy.isWatched(now: 1007 + milliseconds), isWatched)
    }
}

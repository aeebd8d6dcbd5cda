import Expectations
import Foundation
import Glibc

@testable import NewsFeeds

/// Measures instead of testing: a bound on time would fail on a busy machine.
@Suite("Feeds: time of a feed", .timeLimit(.minutes(10)))
struct FeedSpeedTests {
    private static let path = ProcessInfo.processInfo.environment["FEED_TO_MEASURE"]

    @Test(.enabled(if: path != nil, "set FEED_TO_MEASURE to the file of a feed"))
    func processorTimeOfAFeedIsPrinted() throws {
        let bytes = Array(try Data(contentsOf: URL(filePath: try require(FeedSpeedTests.path))))
        var times: [Double] = []
        for _ in 0..<40 {
            let start = processorMilliseconds()
            let document = try FeedReader().read(bytes)
            times.append(processorMilliseconds() - start)
            expect(!document.items.isEmpty)
        }
        times.sort()
        print("bytes \(bytes.count), milliseconds: least \(times[0]), median \(times[20])")
    }

    private func processorMilliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
    }
}

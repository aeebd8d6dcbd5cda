import Expectations
import SeededRandom

@testable import NewsFeeds

@Suite("Feeds: awkward dates", .timeLimit(.minutes(10)))
struct AwkwardDatesTests {
    @Test func everyDateHasItsInstant() {
        for (text, instant) in AwkwardUpstreams.dates {
            expectEqual(FeedDate.parse(text)?.iso8601, instant, "\(text)")
        }
    }

    /// Never another instant than the right one: case, space and commas do not matter.
    @Test(arguments: UInt64(1)...4)
    func datesAreReadTheSameInOtherLayouts(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for (text, instant) in AwkwardUpstreams.dates {
            var changed = Bool.random(using: &generator) ? text.uppercased() : text.lowercased()
            // `İ` of Turkish, and the final sigma.
            if changed.lowercased() != text.lowercased() { changed = text }
            if Bool.random(using: &generator) { changed = "\n  " + changed + "\t" }
            if Bool.random(using: &generator) { changed = changed.replacing(" ", with: "\u{A0}") }
            expectEqual(FeedDate.parse(changed)?.iso8601, instant, "seed \(seed): \(changed)")
        }
    }

    /// A text without one of its characters is the same date, another one of the same form, or none;
    /// the parser must not fail.
    @Test func datesWithoutACharacterAreRead() {
        for (text, _) in AwkwardUpstreams.dates {
            for index in text.indices {
                var shorter = text
                shorter.remove(at: index)
                _ = FeedDate.parse(shorter)
            }
        }
    }
}

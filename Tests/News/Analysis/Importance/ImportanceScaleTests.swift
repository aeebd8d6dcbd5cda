import Expectations
import SeededRandom

@testable import News

@Suite("Importance scale", .timeLimit(.minutes(10)))
struct ImportanceScaleTests {
    private let now = Timestamp(milliseconds: 1_767_348_000_000)
    private let day = Duration.seconds(86_400)

    private func filled(_ count: Int, seed: UInt64 = 1) -> (ImportanceScale, [Double]) {
        var random = SeededGenerator(seed: seed)
        var scale = ImportanceScale()
        var all: [Double] = []
        for _ in 0..<count {
            // Most stories have few publishers: squares crowd near 0.
            let bits = Double.random(in: 0...1, using: &random)
            all.append(bits * bits * 9)
            scale.add(bits * bits * 9, at: now - day * Int.random(in: 0...13, using: &random))
        }
        return (scale, all)
    }

    /// Against the exact percentile of all values.
    @Test(arguments: 1...20)
    func scoreIsThePercentileOfTheLastFourteenDays(seed: UInt64) {
        let (scale, all) = filled(5_000, seed: seed)
        for step in 0...18 {
            // Within a bucket the scale knows no order, so half of its stories may be on the other
            // side.
            let bits = Double(step) / 2
            let exact = Double(all.count { $0 < bits }) / Double(all.count) * 100
            let width = 1 / ImportanceScale.bucketsPerBit
            let inBucket = Double(all.count { $0 >= bits && $0 < bits + width }) / Double(all.count)
            let difference = abs(Double(scale.score(bits, at: now)) - exact)
            expect(difference <= inBucket * 50 + 1, "seed \(seed), \(bits) bits")
        }
    }

    @Test func aboutATenthOfStoriesScoresNinetyAndMore() {
        let (scale, all) = filled(5_000)
        let share = Double(all.count { scale.score($0, at: now) >= 90 }) / Double(all.count)
        expect((0.08...0.12).contains(share))
    }

    @Test func emptyScaleUsesWhatIsAssumed() {
        let scale = ImportanceScale()
        expectEqual(scale.score(0, at: now), 0)
        expectEqual(scale.score(4, at: now), 50)
        expectEqual(scale.score(100, at: now), 100)
        expectEqual(scale.score(.nan, at: now), 0)
    }

    @Test func moreImportantStoryNeverScoresLess() {
        let (scale, _) = filled(200)
        let scores = (0...160).map { scale.score(Double($0) / 10, at: now) }
        expectEqual(scores, scores.sorted())
    }

    @Test func storiesOlderThanFourteenDaysAreForgotten() {
        var scale = ImportanceScale()
        scale.add(3, at: now)
        expectEqual(scale.storyCount(at: now + day * 13), 1)
        expectEqual(scale.storyCount(at: now + day * 14), 0)
        for offset in 1...14 { scale.add(3, at: now + day * offset) }
        expectEqual(scale.storyCount(at: now), 0, "the counts of the first day are gone")
    }

    @Test func movedStoryCountsOnce() {
        var scale = ImportanceScale()
        scale.add(1, at: now)
        scale.move(from: 1, to: 5, countedAt: now)
        var expected = ImportanceScale()
        expected.add(5, at: now)
        expectEqual(scale, expected)
        scale.move(from: 2, to: 3, countedAt: now)
        expectEqual(scale, expected, "what was never counted is not moved")
    }

    @Test func mergedScaleIsThatOfAllStories() {
        let (one, _) = filled(300, seed: 2)
        let (other, _) = filled(200, seed: 3)
        var merged = one
        merged.merge(other)
        var reversed = other
        reversed.merge(one)
        expectEqual(merged, reversed)
        expectEqual(merged.storyCount(at: now), 500)
    }

    @Test func scaleIsRestoredFromItsBytes() {
        let (scale, _) = filled(1_000)
        expectEqual(ImportanceScale(bytes: scale.bytes), scale)
        expectEqual(ImportanceScale(bytes: ImportanceScale().bytes), ImportanceScale())
        expect(scale.bytes.count < 20_000)
    }

    @Test func damagedBytesAreRefused() {
        let bytes = filled(50).0.bytes
        expectNil(ImportanceScale(bytes: []))
        expectNil(ImportanceScale(bytes: bytes + [0]))
        for length in 1..<bytes.count {
            expectNil(ImportanceScale(bytes: Array(bytes.prefix(length))), "\(length) bytes")
        }
        expectNil(ImportanceScale(bytes: [2] + bytes.dropFirst()))
        expectNil(ImportanceScale(bytes: [1, 15]))
    }

    /// Any bytes are refused, or are a scale that writes itself.
    @Test(arguments: 1...20)
    func anyBytesAreRefusedOrAScale(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = filled(30, seed: seed).0.bytes
        for _ in 0..<200 {
            var changed = bytes
            changed[Int.random(in: bytes.indices, using: &random)] = .random(
                in: 0...255,
                using: &random
            )
            if let scale = ImportanceScale(bytes: changed) {
                expectEqual(ImportanceScale(bytes: scale.bytes), scale, "seed \(seed)")
            }
        }
    }
}

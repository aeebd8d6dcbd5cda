import Expectations
import SeededRandom

@testable import Reactor

@Suite("Backlog", .timeLimit(.minutes(10)))
struct BacklogTests {
    @Test func bytesComeOutInOrder() {
        var backlog = Backlog()
        append([1, 2, 3], to: &backlog)
        append([], to: &backlog)
        append([4], to: &backlog)
        expectEqual(content(of: backlog), [1, 2, 3, 4])
        backlog.removeFirst(2)
        expectEqual(content(of: backlog), [3, 4])
        backlog.removeFirst(0)
        backlog.removeFirst(2)
        expectEqual(content(of: backlog), [])
    }

    /// 4096 is the size of a block at first.
    @Test(arguments: [4095, 4096, 4097, 8192, 100_000])
    func blockGrowsWithItsContent(count: Int) {
        var backlog = Backlog()
        let bytes = patternedBytes(count)
        append(bytes, to: &backlog)
        append([9], to: &backlog)
        expectEqual(content(of: backlog), bytes + [9])
    }

    @Test func roomOfSentBytesIsUsedAgain() {
        var backlog = Backlog()
        append(patternedBytes(4096), to: &backlog)
        backlog.removeFirst(4090)
        append([1, 2, 3], to: &backlog)
        expectEqual(content(of: backlog), patternedBytes(4096).suffix(6) + [1, 2, 3])
    }

    @Test(arguments: [21, 22, 23, 24] as [UInt64])
    func anySequenceEqualsAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pattern = patternedBytes(21_000)
        var backlog = Backlog()
        var model: [UInt8] = []
        for step in 0..<400 {
            if Bool.random(using: &random) {
                let length = Int.random(in: 0...(step % 7 == 0 ? 9000 : 700), using: &random)
                let start = Int.random(in: 0...1000, using: &random)
                let bytes = Array(pattern[start..<start + length])
                append(bytes, to: &backlog)
                model += bytes
            } else {
                let length = Int.random(in: 0...model.count, using: &random)
                backlog.removeFirst(length)
                model.removeFirst(length)
            }
            let count = backlog.count
            expectEqual(count, model.count, "seed \(seed), step \(step)")
            expectEqual(content(of: backlog), model, "seed \(seed), step \(step)")
        }
    }

    private func append(_ bytes: [UInt8], to backlog: inout Backlog) {
        bytes.withUnsafeBytes { backlog.append($0) }
    }

    private func content(of backlog: borrowing Backlog) -> [UInt8] { Array(backlog.bytes) }
}

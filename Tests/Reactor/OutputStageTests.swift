import Expectations
import SeededRandom

@testable import Reactor

@Suite("OutputStage", .timeLimit(.minutes(10)))
struct OutputStageTests {
    private var slot = ConnectionSlot.unused(generation: 1)
    private var other = ConnectionSlot.unused(generation: 1)

    @Test mutating func nothingIsTakenFromAConnectionWithoutRanges() {
        var stage = OutputStage()
        _ = append([1, 2], to: &stage)
        let taken = take(from: &slot, of: &stage)
        expectEqual(taken, [])
    }

    @Test mutating func rangesThatTouchBecomeOne() {
        var stage = OutputStage()
        for byte in 0..<100 as Range<UInt8> {
            let range = append([byte, byte], to: &stage)
            stage.add(range, to: &slot)
        }
        expectEqual(slot.firstMore, -1)
        expectEqual(slot.output.end - slot.output.start, 200)
        let taken = take(from: &slot, of: &stage)
        expectEqual(taken, (0..<100).flatMap { [$0, $0] })
    }

    @Test mutating func rangesThatLieApartAreJoined() {
        var stage = OutputStage()
        for byte in 0..<10 as Range<UInt8> {
            let range = append([byte], to: &stage)
            if byte % 2 == 0 { stage.add(range, to: &slot) } else { stage.add(range, to: &other) }
        }
        let even = take(from: &slot, of: &stage)
        let odd = take(from: &other, of: &stage)
        expectEqual(even, [0, 2, 4, 6, 8])
        expectEqual(odd, [1, 3, 5, 7, 9])
    }

    @Test mutating func furtherRangesThatTouchBecomeOneToo() {
        var stage = OutputStage()
        stage.add(append([1], to: &stage), to: &slot)
        _ = append([0], to: &stage)
        stage.add(append([2], to: &stage), to: &slot)
        stage.add(append([3], to: &stage), to: &slot)
        expectEqual(slot.firstMore, slot.lastMore, "two ranges: the first, and one more")
        let taken = take(from: &slot, of: &stage)
        expectEqual(taken, [1, 2, 3])
    }

    @Test mutating func oneRangeGoesToManyConnections() {
        var stage = OutputStage()
        let range = append(patternedBytes(1000), to: &stage)
        stage.add(range, to: &slot)
        stage.add(range, to: &other)
        let first = take(from: &slot, of: &stage)
        let second = take(from: &other, of: &stage)
        expectEqual(first, patternedBytes(1000))
        expectEqual(second, patternedBytes(1000))
    }

    @Test mutating func takenConnectionStartsAnew() {
        var stage = OutputStage()
        stage.add(append([1], to: &stage), to: &slot)
        _ = append([0], to: &stage)
        stage.add(append([2], to: &stage), to: &slot)
        _ = take(from: &slot, of: &stage)
        let rest = take(from: &slot, of: &stage)
        expectEqual(rest, [])
        stage.add(append([3], to: &stage), to: &slot)
        let taken = take(from: &slot, of: &stage)
        expectEqual(taken, [3])
    }

    /// 64 KiB is the size of the block at first; it grows once by what is staged, and once by the copy of
    /// ranges that lie apart.
    @Test mutating func blockGrowsUnderStagedRanges() {
        var stage = OutputStage()
        let piece = patternedBytes(40_000)
        stage.add(append(piece, to: &stage), to: &slot)
        stage.add(append([1], to: &stage), to: &other)
        stage.add(append(piece, to: &stage), to: &slot)
        let taken = take(from: &slot, of: &stage)
        let small = take(from: &other, of: &stage)
        expectEqual(taken, piece + piece)
        expectEqual(small, [1])
        stage.removeAll()
        let count = stage.count
        expectEqual(count, 0)
        stage.add(append([5], to: &stage), to: &slot)
        let next = take(from: &slot, of: &stage)
        expectEqual(next, [5])
    }

    /// Many turns, each with random pieces for random connections, taken in a random order.
    @Test(arguments: [31, 32, 33, 34] as [UInt64])
    func anyTurnEqualsOneArrayPerConnection(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pattern = patternedBytes(21_000)
        var stage = OutputStage()
        var slots = (0..<6).map { _ in ConnectionSlot.unused(generation: 1) }
        for turn in 0..<60 {
            var model = slots.map { _ in [UInt8]() }
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                let length = Int.random(in: 1...(turn % 9 == 0 ? 20_000 : 200), using: &random)
                let start = Int.random(in: 0...1000, using: &random)
                let bytes = Array(pattern[start..<start + length])
                let range = append(bytes, to: &stage)
                for index in slots.indices where Int.random(in: 0..<3, using: &random) == 0 {
                    stage.add(range, to: &slots[index])
                    model[index] += bytes
                }
            }
            for index in slots.indices.shuffled(using: &random) {
                let taken = take(from: &slots[index], of: &stage)
                expectEqual(taken, model[index], "seed \(seed), turn \(turn), connection \(index)")
            }
            stage.removeAll()
        }
    }

    /// A fan-out that is sent over several turns, with more of it all the time.
    @Test(arguments: [41, 42, 43] as [UInt64])
    func rangesHoldWhileWhatIsBeforeThemIsDropped(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pattern = patternedBytes(3000)
        var stage = OutputStage()
        var slots = (0..<6).map { _ in ConnectionSlot.unused(generation: 1) }
        var model = slots.map { _ in [UInt8]() }
        var countMax = 0
        for step in 0..<5000 {
            let start = Int.random(in: 0..<1000, using: &random)
            let bytes = Array(pattern[start..<start + Int.random(in: 1...2000, using: &random)])
            let range = append(bytes, to: &stage)
            for index in slots.indices where Bool.random(using: &random) {
                stage.add(range, to: &slots[index])
                model[index] += bytes
            }
            let index = step % slots.count
            if step % 97 == 0 {
                stage.forget(&slots[index])
            } else {
                let taken = take(from: &slots[index], of: &stage)
                expectEqual(taken, model[index], "seed \(seed), step \(step)")
            }
            model[index] = []
            let oldest = slots.filter { !$0.output.isEmpty }.map(\.output.start).min()
            if let oldest { stage.removeAll(before: oldest) } else { stage.removeAll() }
            countMax = max(countMax, stage.count)
        }
        expect(countMax < 100_000, "what is sent is dropped")
    }

    private func append(_ bytes: [UInt8], to stage: inout OutputStage) -> OutputRange {
        bytes.withUnsafeBytes { stage.append($0) }
    }

    private func take(from slot: inout ConnectionSlot, of stage: inout OutputStage) -> [UInt8] {
        Array(stage.take(from: &slot))
    }
}

import Expectations
import SeededRandom

@testable import Activity

@Suite("The best of many", .timeLimit(.minutes(10)))
struct BestFirstTests {
    @Test("are kept in order, whatever order they come in", arguments: 1...20)
    func bestFirst(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let numbers = (0..<50).shuffled(using: &random)
        var best = BestFirst<Int>(capacity: seed, isBefore: <)
        for number in numbers { best.insert(number) }
        expectEqual(best.sorted(), Array(0..<seed))
    }
}

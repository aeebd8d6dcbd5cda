import Expectations

@testable import Hub

@Suite("MemoryTrim", .timeLimit(.minutes(10)))
struct MemoryTrimTests {
    @Test func memoryIsGivenBackOnceAfterALargeFall() {
        var trim = MemoryTrim()
        let due = [(1000, 1000), (1000, 501), (501, 500), (500, 500), (500, 10)].map {
            trim.isDue($0)
        }
        expectEqual(due, [false, false, true, false, false])
    }

    @Test func crowdThatCameAndLeftBetweenTwoLooksCounts() {
        var trim = MemoryTrim()
        let due = [(0, 0), (500, 0), (0, 0), (499, 0)].map { trim.isDue($0) }
        expectEqual(due, [false, true, false, false])
    }
}

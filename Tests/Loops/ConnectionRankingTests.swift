import Expectations
import Reactor

@testable import Loops
@testable import Reactor

@Suite("Ranking of connections", .timeLimit(.minutes(10)))
struct ConnectionRankingTests {
    private func rank(
        _ place: UInt32,
        loop: Int = 0,
        isSlow: Bool = false,
        queued: Int = 0,
        roundTrip: Duration = .zero
    ) -> ConnectionRank {
        ConnectionRank(
            loop: loop,
            id: ConnectionID(index: place, generation: 1),
            isSlow: isSlow,
            queuedBytes: queued,
            roundTrip: roundTrip
        )
    }

    @Test func slowOnesThenFullQueuesThenLongRoundTripsComeFirst() {
        let expected = [
            rank(1, isSlow: true, queued: 5), rank(2, isSlow: true),
            rank(3, queued: 2), rank(4, queued: 1, roundTrip: .seconds(2)),
            rank(5, queued: 1, roundTrip: .seconds(1)), rank(6), rank(7), rank(0, loop: 1),
        ]
        var ranking = ConnectionRanking(limit: 8)
        for rank in expected.reversed() { ranking.add([rank]) }
        expectEqual(ranking.first, expected)
        expectEqual(ranking.total, 8)
        for (index, one) in expected.enumerated() {
            expect(!one.precedes(one))
            for other in expected[..<index] { expect(!one.precedes(other)) }
        }
    }

    @Test(arguments: [1, 2, 3, 4])
    func onlyTheLimitIsKeptAndAllAreCounted(limit: Int) {
        let all = [rank(0), rank(1, queued: 3), rank(2, queued: 1)]
        var whole = ConnectionRanking(limit: limit)
        whole.add(all)
        var parts = ConnectionRanking(limit: limit)
        parts.add([])
        for one in all { parts.add([one]) }
        for ranking in [whole, parts] {
            expectEqual(ranking.first, Array([all[1], all[2], all[0]].prefix(limit)))
            expectEqual(ranking.total, 3)
        }
    }
}

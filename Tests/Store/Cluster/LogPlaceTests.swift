import Expectations
import Store

@Suite("Store: a node's place in the log", .timeLimit(.minutes(1)))
struct LogPlaceTests {
    @Test func onlyTheNextBatchFollows() {
        var place = LogPlace(number: 4, lastCursor: 90)
        expect(!place.isFollowed(by: 4))
        expect(place.isFollowed(by: 5))
        expect(!place.isFollowed(by: 6))
        let writer = BatchWriter(process: "b", attempt: 7)
        place.advance(lastCursor: 95, writer: writer)
        expectEqual(place, LogPlace(number: 5, lastCursor: 95, writer: writer))
    }

    @Test func snapshotHasToHaveTheLastBatchInTheSameEpoch() {
        func batch(
            _ lastCursor: UInt64,
            _ process: String = "p",
            _ attempt: Int64 = 3
        ) -> LogPlace {
            LogPlace(
                number: 4,
                lastCursor: lastCursor,
                writer: BatchWriter(process: process, attempt: attempt)
            )
        }
        func has(_ epoch: String, _ lastCursor: UInt64?, oldest: Int64?) -> Bool {
            LogSnapshot(epoch: epoch, batch: lastCursor.map { batch($0) }, oldest: oldest)
                .has(batch(90), of: "a")
        }
        expect(has("a", 90, oldest: 1))
        expect(!has("a", 89, oldest: 1))
        expect(!has("a", 91, oldest: 1))
        expect(!has("b", 90, oldest: 1))
        // It has another node's with the same numbers, or the node's own of another attempt.
        for other in [batch(90, "q"), batch(90, "p", 4)] {
            expect(!LogSnapshot(epoch: "a", batch: other, oldest: 1).has(batch(90), of: "a"))
        }
        // It does not have the batch.
        expect(!has("a", nil, oldest: 1))
        expect(!has("a", nil, oldest: nil))
        // It has later ones, and has deleted this one.
        expect(has("a", nil, oldest: 5))
        expect(!has("b", nil, oldest: 5))
    }

    @Test func transactionOfNoTermIsLetInDuringAnyTerm() {
        let entry = LogEntry(epoch: "a", term: nil)
        expectNil(entry.refusal(epoch: "a", term: 7))
        expectNil(entry.refusal(epoch: "a", term: nil))
    }

    @Test(arguments: [6, 8, nil] as [Int64?])
    func transactionOfAnotherTermIsRefused(current: Int64?) {
        let entry = LogEntry(epoch: "a", term: 7)
        expectNil(entry.refusal(epoch: "a", term: 7))
        expectEqual(
            entry.refusal(epoch: "a", term: current),
            .notLeading(term: 7, current: current)
        )
    }

    @Test func transactionOfAnotherEpochIsRefused() {
        expectEqual(LogEntry(epoch: "a", term: nil).refusal(epoch: "b", term: 7), .otherEpoch)
        expectEqual(LogEntry(epoch: "a", term: 7).refusal(epoch: "b", term: 7), .otherEpoch)
    }
}

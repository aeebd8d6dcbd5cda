import Expectations
import HubTesting
import LoopTesting
import SeededRandom

@testable import Duties

@Suite("Publications that wait for alert rules", .timeLimit(.minutes(10)))
struct FollowedPublicationsTests {
    private static let waitingMax = 4

    private func publication(_ cursor: UInt64) -> Publication {
        Publication(
            topic: Topic(trusted: "orders:1"),
            offset: cursor,
            cursor: cursor,
            time: Timestamp(milliseconds: 0),
            payload: []
        )
    }

    private func followed(_ cursors: ClosedRange<UInt64>) -> FollowedPublications {
        var followed = FollowedPublications(countMax: Self.waitingMax)
        followed.note(commit: cursors.upperBound)
        for cursor in cursors { followed.append(publication(cursor)) }
        return followed
    }

    @Test func asManyAsMayWaitAreTakenInTheirOrder() {
        var followed = followed(1...4)
        let batch = followed.takeBatch(countMax: 10)
        expectEqual(batch.publications.map(\.cursor), [1, 2, 3, 4])
        expectEqual(batch.through, 4)
        expectEqual(batch.passedOver, 0)
        expectEqual(followed.count, 0)
    }

    @Test func pastTheBoundTheOldestIsPassedOver() {
        var followed = followed(1...5)
        expectEqual(followed.count, Self.waitingMax)
        let batch = followed.takeBatch(countMax: 10)
        expectEqual(batch.publications.map(\.cursor), [2, 3, 4, 5])
        expectEqual(batch.through, 5)
        expectEqual(batch.passedOver, 1)
        expectEqual(followed.takeBatch(countMax: 10).passedOver, 0, "told once")
    }

    @Test func ofVeryManyTheNewestAreLeft() {
        var followed = followed(1...1000)
        expectEqual(followed.count, Self.waitingMax)
        let batch = followed.takeBatch(countMax: 10)
        expectEqual(batch.publications.map(\.cursor), [997, 998, 999, 1000])
        expectEqual(batch.passedOver, 996)
    }

    // MARK: Put back

    @Test func whatIsPutBackIsTakenAgainBeforeTheOthers() {
        var followed = followed(1...3)
        let taken = followed.takeBatch(countMax: 2).publications
        followed.note(commit: 9)
        expectEqual(followed.lookedThrough, 2)
        followed.putBack(taken)
        expectEqual(followed.lookedThrough, 0)
        expectEqual(followed.bytes, 3 * publication(1).waitingBytes)
        followed.append(publication(9))
        let batch = followed.takeBatch(countMax: 10)
        expectEqual(batch.publications.map(\.cursor), [1, 2, 3, 9])
        expectEqual(batch.passedOver, 0)
        expectEqual(followed.bytes, 0)
    }

    @Test func ofWhatIsPutBackPastTheBoundTheOldestIsPassedOver() {
        var followed = followed(1...4)
        let taken = followed.takeBatch(countMax: 3).publications
        followed.note(commit: 6)
        for cursor in UInt64(5)...6 { followed.append(publication(cursor)) }
        followed.putBack(taken)
        expectEqual(followed.count, Self.waitingMax)
        expectEqual(followed.bytes, Self.waitingMax * publication(1).waitingBytes)
        let batch = followed.takeBatch(countMax: 10)
        expectEqual(batch.publications.map(\.cursor), [3, 4, 5, 6])
        expectEqual(batch.passedOver, 2)
    }

    @Test func whatIsPutBackKeepsToTheBoundOfBytes() {
        let length = publication(1).waitingBytes
        var followed = FollowedPublications(countMax: 10, bytesMax: 2 * length)
        for cursor in UInt64(1)...2 { followed.append(publication(cursor)) }
        let taken = followed.takeBatch(countMax: 2).publications
        followed.append(publication(3))
        followed.putBack(taken)
        expectEqual(followed.bytes, 2 * length)
        let batch = followed.takeBatch(countMax: 10)
        expectEqual(batch.publications.map(\.cursor), [2, 3])
        expectEqual(batch.passedOver, 1)
    }

    @Test func singlePublicationBeyondTheBytesWaitsAgain() {
        var followed = FollowedPublications(countMax: 10, bytesMax: 1)
        followed.append(publication(1))
        followed.putBack(followed.takeBatch(countMax: 1).publications)
        let batch = followed.takeBatch(countMax: 10)
        expectEqual(batch.publications.map(\.cursor), [1])
        expectEqual(batch.passedOver, 0)
    }

    @Test func whatIsPutBackCanBeErased() {
        var followed = followed(1...4)
        followed.putBack(followed.takeBatch(countMax: 3).publications)
        followed.remove { $0.cursor == 2 }
        expectEqual(followed.takeBatch(countMax: 10).publications.map(\.cursor), [1, 3, 4])
        expectEqual(followed.bytes, 0)
    }

    // MARK: Erased

    @Test func whatIsErasedIsPassedOverWithoutBeingCounted() {
        var followed = followed(1...4)
        expectEqual(followed.takeBatch(countMax: 1).publications.map(\.cursor), [1])
        followed.remove { $0.cursor == 3 }
        expectEqual(followed.count, 2)
        expectEqual(followed.lookedThrough, 1)
        let batch = followed.takeBatch(countMax: 10)
        expectEqual(batch.publications.map(\.cursor), [2, 4])
        expectEqual(batch.passedOver, 0)
        expectEqual(batch.through, 4)
        followed.remove { _ in true }
        expectEqual(followed.count, 0)
    }

    /// Whatever was not taken is looked at by the next process, should this one end.
    @Test func batchEndsBeforeWhatStillWaits() {
        var followed = followed(11...13)
        followed.note(commit: 20)
        expectEqual(followed.lookedThrough, 10)
        expectEqual(followed.takeBatch(countMax: 2).through, 12)
        expectEqual(followed.lookedThrough, 12)
        let last = followed.takeBatch(countMax: 2)
        expectEqual(last.publications.map(\.cursor), [13])
        expectEqual(last.through, 20, "the rest is nothing to look at")
        expectEqual(followed.lookedThrough, 20)
    }

    @Test func emptyOneHasLookedThroughTheNewestCommit() {
        var followed = FollowedPublications(countMax: 1)
        expectEqual(followed.lookedThrough, 0)
        followed.note(commit: 7)
        followed.note(commit: 5)
        expectEqual(followed.lookedThrough, 7)
        expect(followed.takeBatch(countMax: 1).publications.isEmpty)
    }

    /// Against a plain array, over many turns of the room that is given back.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func randomTurnsAreThoseOfAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var followed = FollowedPublications(countMax: 7)
        var model: [UInt64] = []
        var (cursor, passedOver) = (0 as UInt64, 0)
        for _ in 0..<500 {
            if Bool.random(using: &random) {
                cursor += UInt64.random(in: 1...3, using: &random)
                followed.note(commit: cursor)
                followed.append(publication(cursor))
                model.append(cursor)
                if model.count > 7 {
                    model.removeFirst()
                    passedOver += 1
                }
            } else {
                let count = Int.random(in: 1...9, using: &random)
                let batch = followed.takeBatch(countMax: count)
                expectEqual(batch.publications.map(\.cursor), Array(model.prefix(count)))
                expectEqual(batch.passedOver, passedOver, "seed \(seed)")
                model.removeFirst(min(count, model.count))
                passedOver = 0
            }
            expectEqual(followed.count, model.count, "seed \(seed)")
            expectEqual(followed.lookedThrough, (model.first.map { $0 - 1 } ?? cursor))
        }
    }
}

@Suite("The log of publications that alert rules have not looked at", .timeLimit(.minutes(10)))
struct PassedOverLogTests {
    private let start = ContinuousClock.now

    @Test func firstIsToldAtOnceAndTheNextOnesOnceAMinute() {
        var log = PassedOverLog()
        expectEqual(log.take(3, .waiting, of: .user, now: start), 3)
        expectNil(log.take(4, .waiting, of: .user, now: start + .seconds(1)))
        expectNil(log.take(5, .waiting, of: .user, now: start + .milliseconds(59_999)))
        expectEqual(log.take(1, .waiting, of: .user, now: start + .seconds(60)), 10)
        expectNil(log.take(1, .waiting, of: .user, now: start + .seconds(61)))
    }

    @Test func reasonsAreToldApart() {
        var log = PassedOverLog()
        expectEqual(log.take(1, .waiting, of: .user, now: start), 1)
        expectEqual(log.take(2, .topics, of: .user, now: start), 2)
        expectEqual(log.take(2, .store, of: .user, now: start), 2)
    }
}

import Expectations
import SeededRandom
import Topics

@Suite("What a slow subscriber gets", .timeLimit(.minutes(10)))
struct ConflationTests {
    private static let topic = Topic(trusted: "aurora:tromso")

    /// A publication of ten bytes.
    private func publication(
        _ offset: UInt64,
        key: String? = nil,
        length: Int = 10
    ) -> Publication {
        Publication(
            Self.topic,
            offset,
            cursor: offset,
            payload: String(repeating: "x", count: length),
            tags: key.map { [Conflation.keyTag: $0, "other": "\(offset)"] } ?? [:]
        )
    }

    private func offsets(_ conflation: Conflation) -> [UInt64] {
        conflation.publications.map(\.offset)
    }

    @Test func keysThatOnlyLookAlikeAreTwo() {
        let waiting = [publication(1, key: "\u{E9}"), publication(2, key: "e\u{301}")]
        let conflation = Conflation(of: waiting, policy: .latestPerKey, bytesMax: 100)
        expectEqual(offsets(conflation), [1, 2])
        expectEqual(conflation.conflatedCount, 0)
    }

    @Test func nothingWaitingIsNothingToSend() {
        for policy in ConflationPolicy.allCases {
            let conflation = Conflation(of: [], policy: policy, bytesMax: 0)
            expect(conflation.publications.isEmpty)
            expect(conflation.losses.isEmpty)
        }
    }

    @Test func newestThatFitAreKeptAndTheOldestDropped() {
        let waiting = (1...5).map { publication($0) }
        let all = Conflation(of: waiting, policy: .dropOldest, bytesMax: 50)
        expectEqual(offsets(all), [1, 2, 3, 4, 5])
        expectEqual(all.droppedCount, 0)
        let four = Conflation(of: waiting, policy: .dropOldest, bytesMax: 49)
        expectEqual(offsets(four), [2, 3, 4, 5])
        expectEqual(four.droppedCount, 1)
        expectEqual(four.losses, [.init(offsets: 1...1, cause: .dropped)])
        let none = Conflation(of: waiting, policy: .dropOldest, bytesMax: 9)
        expectEqual(offsets(none), [])
        expectEqual(none.droppedCount, 5)
        expectEqual(none.losses, [.init(offsets: 1...5, cause: .dropped)])
    }

    @Test func nothingOlderIsKeptBesideANewerOneThatWasDropped() {
        let waiting = [publication(1), publication(2, length: 100), publication(3)]
        let conflation = Conflation(of: waiting, policy: .dropOldest, bytesMax: 60)
        expectEqual(offsets(conflation), [3])
        expectEqual(conflation.droppedCount, 2)
    }

    @Test func latestOfEachKeyIsKeptInOrder() {
        let waiting = [
            publication(1, key: "a"), publication(2, key: "b"), publication(3, key: "a"),
            publication(4, key: "c"), publication(5, key: "a"),
        ]
        let conflation = Conflation(of: waiting, policy: .latestPerKey, bytesMax: 1000)
        expectEqual(offsets(conflation), [2, 4, 5])
        expectEqual(conflation.conflatedCount, 2)
        expectEqual(conflation.droppedCount, 0)
        expectEqual(
            conflation.losses,
            [
                .init(offsets: 1...1, cause: .conflated), .init(offsets: 3...3, cause: .conflated),
            ]
        )
    }

    @Test func withoutATagTheTopicHasOneKeyWhichIsNotTheEmptyOne() {
        let waiting = [
            publication(1), publication(2, key: ""), publication(3), publication(4, key: ""),
        ]
        let conflation = Conflation(of: waiting, policy: .latestPerKey, bytesMax: 1000)
        expectEqual(offsets(conflation), [3, 4])
        expectEqual(conflation.losses, [.init(offsets: 1...2, cause: .conflated)])
    }

    @Test func latestOfTheKeysAreDroppedFromTheOldEndWhenTheyDoNotFit() {
        let waiting = [
            publication(1, key: "a"), publication(2, key: "b"), publication(3, key: "b"),
            publication(4, key: "c"),
        ]
        let conflation = Conflation(of: waiting, policy: .latestPerKey, bytesMax: 20)
        expectEqual(offsets(conflation), [3, 4])
        expectEqual(conflation.droppedCount, 1)
        expectEqual(conflation.conflatedCount, 1)
        expectEqual(
            conflation.losses,
            [
                .init(offsets: 1...1, cause: .dropped), .init(offsets: 2...2, cause: .conflated),
            ]
        )
    }

    /// The value of the key that was dropped is not known to the subscriber; that an older one of
    /// the same key went, too, is for the newer one's sake.
    @Test func olderOnesOfADroppedKeyCountAsConflated() {
        let waiting = [
            publication(1, key: "a"), publication(2, key: "a"), publication(3, key: "b"),
        ]
        let conflation = Conflation(of: waiting, policy: .latestPerKey, bytesMax: 10)
        expectEqual(offsets(conflation), [3])
        expectEqual(conflation.droppedCount, 1)
        expectEqual(conflation.conflatedCount, 1)
    }

    @Test func publicationsOutsideOfTheHistoryAreCountedButHaveNoOffsetToName() {
        let waiting = [publication(0), publication(7), publication(0)]
        let conflation = Conflation(of: waiting, policy: .dropOldest, bytesMax: 10)
        expectEqual(offsets(conflation), [0])
        expectEqual(conflation.droppedCount, 2)
        expectEqual(conflation.losses, [.init(offsets: 7...7, cause: .dropped)])
    }

    /// Against the definition: of each key the last, then the longest end that fits.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func randomQueuesAreAsTheirDefinitionSays(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let keys: [String?] = [nil, "", "a", "b", "c"]
        let waiting = (1...UInt64.random(in: 1...40, using: &random)).map {
            publication(
                $0,
                key: keys.randomElement(using: &random)!,
                length: Int.random(in: 0...20, using: &random)
            )
        }
        let bytesMax = Int.random(in: 0...200, using: &random)
        for policy in ConflationPolicy.allCases {
            let conflation = Conflation(of: waiting, policy: policy, bytesMax: bytesMax)
            let latest =
                policy == .dropOldest
                ? waiting
                : waiting.filter { publication in
                    let key = publication.tags[Conflation.keyTag]
                    return waiting.last { $0.tags[Conflation.keyTag] == key } == publication
                }
            let fitting = (0...latest.count).first {
                latest[$0...].reduce(0) { $0 + $1.payload.count } <= bytesMax
            }!
            expectEqual(conflation.publications, Array(latest[fitting...]), "seed \(seed)")
            expectEqual(conflation.droppedCount, fitting, "seed \(seed)")
            expectEqual(conflation.conflatedCount, waiting.count - latest.count, "seed \(seed)")
            let lost = conflation.losses.flatMap { Array($0.offsets) }
            let all = offsets(conflation) + lost
            expectEqual(all.sorted(), waiting.map(\.offset), "seed \(seed)")
            expectEqual(lost, lost.sorted(), "seed \(seed)")
        }
    }
}

import Expectations
import Topics

@Suite("Erasures", .timeLimit(.minutes(10)))
struct ErasureTests {
    static let topic = TopicHistoryTests.topic

    static func publication(_ offset: UInt64, tags: [String: String]) -> Publication {
        Publication(
            topic,
            offset,
            cursor: offset * 10,
            seconds: Double(offset),
            tags: tags
        )
    }

    /// Offsets from 1 on with cursors ten times as great, one for each character, which is the value of
    /// tag `by`.
    static func history(
        by actors: String,
        keeping count: Int = 9,
        age: Duration? = nil,
        recovery: RecoveryMode = .stream
    ) -> TopicHistory {
        var history = TopicHistory(
            epoch: "e",
            limit: HistoryLimit(count: count, age: age),
            recovery: recovery
        )
        for (index, actor) in actors.enumerated() {
            history.append(publication(UInt64(index + 1), tags: ["by": "\(actor)"]))
        }
        return history
    }

    static func erasure(_ actor: String, tag: String = "by") -> Erasure {
        Erasure(topic: topic, tag: tag, value: actor)
    }

    private func offsets(_ history: TopicHistory) -> [UInt64] { history.newest(.max).map(\.offset) }

    private func recover(_ history: TopicHistory, since: UInt64) -> Recovery {
        history.recover(since: Position(offset: since, epoch: "e"))
    }

    @Test func takesOutWhatHasTheTagAndNothingElse() {
        var history = Self.history(by: "abacb")
        history.erase(Self.erasure("a"))
        expectEqual(offsets(history), [2, 4, 5])
        expectEqual(history.count, 3)
        expectEqual(history.position.offset, 5)
        expectEqual(history.evictedOffset, 0)
        history.erase(Self.erasure("b", tag: "other"))
        history.erase(Self.erasure(""))
        expectEqual(offsets(history), [2, 4, 5])
    }

    @Test func valuesAreComparedByTheirBytes() {
        let composed = "\u{E9}"
        let decomposed = "e\u{301}"
        var history = TopicHistory(epoch: "e", limit: HistoryLimit(count: 9, age: nil))
        history.append(Self.publication(1, tags: ["by": composed]))
        history.append(Self.publication(2, tags: ["by": decomposed]))
        history.append(Self.publication(3, tags: [:]))
        history.erase(Self.erasure(decomposed))
        expectEqual(offsets(history), [1, 3])
    }

    @Test(arguments: 0...5 as ClosedRange<UInt64>)
    func recoveryPassesOverHolesWithoutAGap(since: UInt64) {
        var history = Self.history(by: "abaca")
        history.erase(Self.erasure("a"))
        let expected = [2, 4].filter { $0 > since }
        guard case .complete(let publications) = recover(history, since: since) else {
            Issue.record("since \(since): a gap")
            return
        }
        expectEqual(publications.map(\.offset), expected)
    }

    @Test func gapEndsAtTheLastThatWasEvictedAndNotAtAHole() {
        var history = Self.history(by: "baabcd", keeping: 5)
        history.erase(Self.erasure("a"))
        expectEqual(history.evictedOffset, 1)
        expectEqual(recover(history, since: 0), .gap(available: history.newest(3), missing: 1...1))
        expectEqual(recover(history, since: 1), .complete(history.newest(3)))
    }

    @Test func holeThatFallsBehindTheLimitEvictsNothing() {
        var history = Self.history(by: "aab", keeping: 3)
        history.erase(Self.erasure("a"))
        for offset: UInt64 in 4...5 {
            history.append(Self.publication(offset, tags: ["by": "b"]))
        }
        expectEqual(history.evictedOffset, 0)
        expectEqual(recover(history, since: 0), .complete(history.newest(3)))
        history.append(Self.publication(6, tags: [:]))
        expectEqual(history.evictedOffset, 3)
        expectEqual(history.evictedCursor, 30)
        expectEqual(offsets(history), [4, 5, 6])
    }

    @Test func erasedOnesMakeNoRoomForOlder() {
        var history = Self.history(by: "abbb", keeping: 3)
        history.erase(Self.erasure("b"))
        history.append(Self.publication(5, tags: ["by": "c"]))
        expectEqual(offsets(history), [5])
        expectEqual(history.evictedOffset, 1)
    }

    @Test func newestMayBeErasedAndOffsetsGoOn() {
        var history = Self.history(by: "ab")
        history.erase(Self.erasure("b"))
        expectEqual(history.position, Position(offset: 2, epoch: "e"))
        expectEqual(recover(history, since: 1), .complete([]))
        expectEqual(recover(history, since: 2), .complete([]))
        expectEqual(recover(history, since: 3), .otherEpoch)
        history.append(Self.publication(3, tags: ["by": "b"]))
        expectEqual(offsets(history), [1, 3], "what comes later stays")
    }

    @Test func everythingMayBeErased() {
        var history = Self.history(by: "aaa", keeping: 2)
        history.erase(Self.erasure("a"))
        expectEqual(history.count, 0)
        expectEqual(history.position.offset, 3)
        expectEqual(recover(history, since: 1), .complete([]))
        expectEqual(recover(history, since: 0), .gap(available: [], missing: 1...1))
        expectEqual(history.publications(afterCursor: 10), .complete([]))
        expectEqual(history.publications(afterCursor: 9), .gap(available: [], through: 10))
    }

    @Test func ageEvictsWhatIsLeft() {
        var history = Self.history(by: "abab", age: .seconds(10))
        history.erase(Self.erasure("a"))
        history.trim(now: Timestamp(seconds: 13))
        expectEqual(history.evictedOffset, 2)
        expectEqual(history.evictedCursor, 20)
        expectEqual(offsets(history), [4])
    }

    @Test func removedHistoryEndsAtItsPlaceWhetherOrNotThatWasErased() {
        var history = Self.history(by: "abab")
        history.erase(Self.erasure("a"))
        history.remove(through: 3)
        expectEqual(offsets(history), [4])
        expectEqual(history.evictedOffset, 2)
        expectEqual(recover(history, since: 1).isComplete, false)
        expect(recover(history, since: 2).isComplete)
    }

    @Test func bytesOfErasedOnesDoNotCount() {
        var history = Self.history(by: "bab")
        let length = history.newest(1)[0].wireLength
        history.erase(Self.erasure("a"))
        let since = Position(offset: 0, epoch: "e")
        expectEqual(
            history.recover(since: since, bytesMax: 2 * length),
            .complete(history.newest(2))
        )
        expectEqual(
            history.recover(since: since, bytesMax: 2 * length - 1),
            .gap(available: history.newest(1), missing: 1...1)
        )
    }

    @Test func offsetOfAHoleIsErasedAndNoOtherIs() {
        var history = Self.history(by: "bcabca", keeping: 5)
        history.erase(Self.erasure("a"))
        expectEqual((0...8).filter { history.isErased($0) }, [3, 6])
        expectEqual((0...8).filter { history.publication(at: $0) != nil }, [2, 4, 5])
    }

    @Test func streamOfManyTopicsPassesOverHoles() {
        let hub = TestHub(cursorBase: 0, namespaces: ["aurora": HistoryLimit(count: 9, age: nil)])
        for (index, actor) in ["a", "b", "a", "c"].enumerated() {
            hub.publish(Self.publication(UInt64(index + 1), tags: ["by": actor]))
        }
        hub.erase(Self.erasure("a"))
        hub.erase(Erasure(topic: Topic(trusted: "aurora:never"), tag: "by", value: "a"))
        let recovery = hub.publications(of: [Self.topic], afterCursor: 0)
        expectEqual(recovery.publications.map(\.cursor), [20, 40])
        expect(recovery.gaps.isEmpty)
        expectEqual(hub.newestCursor, 40)
        expectEqual(hub.topicCount, 1)
    }

    // MARK: Histories whose newest publication says all

    @Test func cacheAnswersWithTheNewestThatIsLeft() {
        var history = Self.history(by: "bca", recovery: .cache)
        history.erase(Self.erasure("a"))
        expectEqual(recover(history, since: 3), .complete([]))
        expectEqual(recover(history, since: 2), .complete([]), "it has seen that one")
        expectEqual(recover(history, since: 1), .complete(history.newest(1)))
        let other = history.recover(since: Position(offset: 3, epoch: "f"))
        expectEqual(other, .complete(history.newest(1)))
    }

    @Test func cacheOfWhichEverythingIsErasedHasNothingToAdd() {
        var history = Self.history(by: "ba", keeping: 1, recovery: .cache)
        history.erase(Self.erasure("a"))
        expectEqual(recover(history, since: 2), .complete([]))
        expectEqual(recover(history, since: 1), .complete([]))
        expectEqual(recover(history, since: 0), .otherEpoch, "what came before is not known")
        expectEqual(history.recover(since: Position(offset: 2, epoch: "f")), .otherEpoch)
    }

    // MARK: Pages

    private func page(
        _ limit: Int,
        since: UInt64? = nil,
        isReversed: Bool = false
    ) throws -> [UInt64] {
        var history = Self.history(by: "xabacaa", keeping: 6)
        history.erase(Self.erasure("a"))
        let page = try history.page(
            HistoryRange(
                limit: limit,
                since: since.map { Position(offset: $0, epoch: "e") },
                isReversed: isReversed
            ),
            countMax: 100
        )
        expectEqual(page.position, Position(offset: 7, epoch: "e"))
        return page.publications.map(\.offset)
    }

    @Test func pagesPassOverHolesInBothDirections() throws {
        try expectEqual(page(-1), [3, 5])
        try expectEqual(page(1), [3])
        try expectEqual(page(-1, isReversed: true), [5, 3])
        for since: UInt64 in 0...2 { try expectEqual(page(1, since: since), [3]) }
        for since: UInt64 in 3...4 { try expectEqual(page(9, since: since), [5]) }
        for since: UInt64 in 5...9 { try expectEqual(page(9, since: since), []) }
        for since: UInt64 in 6...8 { try expectEqual(page(1, since: since, isReversed: true), [5]) }
        for since: UInt64 in 4...5 { try expectEqual(page(9, since: since, isReversed: true), [3]) }
        for since: UInt64 in 1...3 { try expectEqual(page(9, since: since, isReversed: true), []) }
        try expectEqual(page(9, since: 9, isReversed: true), [], "more than one beyond the newest")
    }
}

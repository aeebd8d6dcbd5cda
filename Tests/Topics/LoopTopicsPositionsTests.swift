import Expectations
import SeededRandom
import Topics

@Suite("Hub: positions that are ahead", .timeLimit(.minutes(10)))
struct LoopTopicsPositionsTests {
    static let tromso = Topic(trusted: "aurora:tromso")
    static let oslo = Topic(trusted: "aurora:oslo")
    static let text = WireForm(rawValue: 0)

    private static func hub(forgotten: ForgottenCursors = ForgottenCursors()) -> TestHub {
        let limit = HistoryLimit(count: 3, age: nil)
        return TestHub(namespaces: ["aurora": limit, "live": .none], forgotten: forgotten)
    }

    /// Two publications of Tromsø, at the cursors 101 and 102.
    private static func hubOfTwo() -> TestHub {
        let hub = hub()
        hub.publish(Publication(tromso, 1, cursor: 101))
        hub.publish(Publication(tromso, 2, cursor: 102))
        return hub
    }

    /// Tromsø had a publication at cursor 101, and was removed.
    private static func forgetfulHub() -> TestHub {
        let hub = hub()
        hub.publish(Publication(tromso, 1, cursor: 101))
        hub.removeHistory(of: tromso, through: 1)
        hub.forget(tromso, throughCursor: 101)
        return hub
    }

    private static func isAhead(_ hub: TestHub, _ topic: Topic, _ offset: UInt64, _ epoch: String)
        -> Bool
    {
        hub.isAhead(Position(offset: offset, epoch: epoch), of: topic)
    }

    @Test(arguments: [(0, false), (1, false), (2, false), (3, true), (.max, true)])
    func offsetAboveTheNewestIsAhead(offset: UInt64, isAhead: Bool) {
        expectEqual(Self.isAhead(Self.hubOfTwo(), Self.tromso, offset, "e"), isAhead)
    }

    @Test(arguments: ["", "f", "f-109", "e-", "e-0", "e-+5", "e-05", "E"])
    func positionOfAnotherStoreIsNotAhead(epoch: String) {
        for offset: UInt64 in [0, 2, 3, .max] {
            expect(!Self.isAhead(Self.hubOfTwo(), Self.tromso, offset, epoch))
            expect(!Self.isAhead(Self.hub(), Self.tromso, offset, epoch))
        }
    }

    /// With a subscriber or without: the hub may not have the topic at all.
    @Test(arguments: [true, false])
    func anyPublicationOfATopicWithoutPublicationsIsAhead(hasSubscriber: Bool) throws {
        let hub = Self.hub()
        if hasSubscriber {
            _ = try hub.subscribe(1, form: Self.text, to: Self.tromso, since: nil)
        }
        expect(!Self.isAhead(hub, Self.tromso, 0, "e"))
        expect(Self.isAhead(hub, Self.tromso, 1, "e"))
        expectEqual(hub.topicCount, (hasSubscriber ? 1 : 0), "asking creates no topic")
    }

    @Test func nothingIsAheadWithoutAHistory() {
        let hub = Self.hubOfTwo()
        expect(!Self.isAhead(hub, Topic(trusted: "live:a"), 1, "e"))
        expect(!Self.isAhead(hub, Topic(trusted: "unknown:a"), 1, "e"))
    }

    /// On another node, the topic was removed and has begun again, or may begin, after cursor 102.
    @Test(arguments: [
        (UInt64(0), "e-102", true), (0, "e-109", true), (1, "e-109", true), (9, "e-109", true),
    ])
    func youngerEpochIsAheadOfAHistory(offset: UInt64, epoch: String, isAhead: Bool) {
        expectEqual(Self.isAhead(Self.hubOfTwo(), Self.tromso, offset, epoch), isAhead)
    }

    /// The cursor that names an epoch shows whether the hub can have seen its beginning.
    @Test(arguments: [
        // Of the removed history.
        (UInt64(0), "e", false), (1, "e", false), (2, "e", false), (1, "e-100", false),
        // Of the time without publications, and of the history that begins there.
        (0, "e-101", false), (1, "e-101", true),
        // Later than all that the hub has received.
        (0, "e-102", true), (1, "e-109", true),
    ])
    func epochOfARemovedTopicIsComparedWithItsEnd(offset: UInt64, epoch: String, isAhead: Bool) {
        expectEqual(Self.isAhead(Self.forgetfulHub(), Self.tromso, offset, epoch), isAhead)
    }

    @Test func earlierNameOfAHistoryIsAheadByItsOffset() {
        let hub = Self.forgetfulHub()
        let empty = hub.position(of: Self.oslo).epoch
        hub.publish(Publication(Self.oslo, 1, cursor: 130))
        expectEqual(empty, "e-101")
        expectEqual(hub.position(of: Self.oslo).epoch, "e-129")
        for epoch in ["e-101", "e-110", "e-129"] {
            expect(!Self.isAhead(hub, Self.oslo, 1, epoch))
            expect(Self.isAhead(hub, Self.oslo, 2, epoch))
        }
        expect(!Self.isAhead(hub, Self.oslo, 2, "e-100"))
        expect(Self.isAhead(hub, Self.oslo, 0, "e-130"))
    }

    @Test func topicKeptInMemoryHasAnEpochOfItsOwn() {
        let history = HistoryLimit(count: 3, age: nil)
        let hub = TestHub(
            memoryEpoch: "m",
            memoryCursorBase: 1000,
            settings: ["aurora": NamespaceSettings(history: history, isDurable: false)]
        )
        expect(Self.isAhead(hub, Self.tromso, 1, "m"))
        expect(!Self.isAhead(hub, Self.tromso, 1, "e"))
        expect(!hub.isAhead(cursor: 1000))
        expect(hub.isAhead(cursor: 1001))
    }

    @Test func cursorAboveTheNewestIsAhead() {
        let hub = Self.hubOfTwo()
        expect([0, 99, 100, 101, 102].allSatisfy { !hub.isAhead(cursor: $0) })
        expect(hub.isAhead(cursor: 103))
        expect(hub.isAhead(cursor: .max))
        expect(!Self.hub().isAhead(cursor: 100), "the place before the first publication")
    }

    // MARK: Two nodes

    /// Waits where it helps, and only there: a position that is not ahead gains nothing by waiting, and one
    /// that is ahead loses something without.
    @Test(arguments: UInt64(1)...30)
    func positionOfANodeInFrontIsAheadIfWaitingHelps(seed: UInt64) {
        let run = TwoNodes(seed: seed)
        for _ in 0..<1000 { run.step() }
        expect(run.problems.isEmpty, "seed \(seed): \(run.problems.prefix(3))")
        expect(run.helped > 10, "seed \(seed)")
        expect(run.answered > 10, "seed \(seed)")
    }
}

/// A node that follows another one with a lag, and positions that the one in front has given out.
private final class TwoNodes {
    private enum Commit {
        case publication(Publication)
        case forgotten(Topic, through: UInt64, throughCursor: UInt64)
    }

    private static let topics = (0..<2).map { Topic(trusted: "aurora:\($0)") }

    private(set) var problems: [String] = []
    /// Positions that were ahead and complete after the wait, and those that were answered at once.
    private(set) var helped = 0
    private(set) var answered = 0
    private var random: SeededGenerator
    private let front: TestHub
    private let behind: TestHub
    private var log: ArraySlice<Commit> = []
    private var tops: [Topic: (offset: UInt64, cursor: UInt64)] = [:]
    private var cursor: UInt64 = 100
    private var given: [(topic: Topic, position: Position)] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let limits = ["aurora": HistoryLimit(count: 3, age: nil)]
        front = TestHub(namespaces: limits)
        behind = TestHub(namespaces: limits)
    }

    func step() {
        let topic = Self.topics.randomElement(using: &random)!
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: publish(topic)
        case 3: forget(topic)
        case 4..<6: given.append((topic, front.position(of: topic)))
        case 6..<8: follow(Int.random(in: 0...log.count, using: &random))
        default: comeBack()
        }
    }

    private func publish(_ topic: Topic) {
        cursor += UInt64.random(in: 1...2, using: &random)
        let offset = (tops[topic]?.offset ?? 0) + 1
        tops[topic] = (offset, cursor)
        commit(.publication(Publication(topic, offset, cursor: cursor)))
    }

    private func forget(_ topic: Topic) {
        guard let top = tops.removeValue(forKey: topic) else { return }
        commit(.forgotten(topic, through: top.offset, throughCursor: top.cursor))
    }

    private func follow(_ count: Int) {
        for _ in 0..<count { apply(log.removeFirst(), to: behind) }
    }

    private func commit(_ commit: Commit) {
        log.append(commit)
        apply(commit, to: front)
    }

    private func apply(_ commit: Commit, to hub: TestHub) {
        switch commit {
        case .publication(let publication): hub.publish(publication)
        case .forgotten(let topic, let offset, let cursor):
            hub.removeHistory(of: topic, through: offset)
            hub.forget(topic, throughCursor: cursor)
        }
    }

    /// A client brings one of the newest positions to the node behind.
    private func comeBack() {
        guard let (topic, position) = given.suffix(5).randomElement(using: &random) else { return }
        let isAhead = behind.isAhead(position, of: topic)
        let now = isComplete(position, topic, on: behind)
        // The node in front is what the other one is after the wait.
        let later = isComplete(position, topic, on: front)
        if isAhead, now { problems.append("\(position) waits for nothing") }
        if !isAhead, !now, later { problems.append("\(position) is not waited for") }
        if isAhead, later { helped += 1 }
        if !isAhead { answered += 1 }
    }

    private func isComplete(_ position: Position, _ topic: Topic, on hub: TestHub) -> Bool {
        defer { hub.removeSubscriber(1) }
        let form = LoopTopicsPositionsTests.text
        let subscribed = try? hub.subscribe(1, form: form, to: topic, since: position)
        return subscribed?.recovery?.isComplete ?? false
    }
}

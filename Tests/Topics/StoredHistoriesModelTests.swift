import Expectations
import SeededRandom

@testable import Topics

/// Loops that read histories from a store, compared with loops that have all of them in memory.
@Suite("Stored histories of loops", .timeLimit(.minutes(10)))
struct StoredHistoriesModelTests {
    @Test(arguments: 0..<60)
    func loopsAgreeWithLoopsThatHaveAll(seed: UInt64) throws {
        let world = StoredHistoriesWorld(seed: seed)
        for _ in 0..<600 { try world.step() }
        try world.settle()
        expect(world.comparisonCount > 100)
        expect(world.readCount > 0)
    }
}

/// A store, two tables with what it has committed, and loops at different places among the commits.
private final class StoredHistoriesWorld {
    private enum Commit {
        case publication(Publication)
        case removal(Topic, through: UInt64)
        case erasure(Erasure)
        case forgotten(ForgottenTopic)
    }

    private struct Row {
        var beginning: UInt64
        var topOffset: UInt64 = 0
        var topCursor: UInt64
        var evictedOffset: UInt64 = 0
        var evictedCursor: UInt64
        var publications: [Publication] = []
    }

    /// A publication over the limits is erased in one world, and evicted in the other, if a loop has kept it
    /// until the erasure. So losses are compared only in worlds that erase nothing.
    private let erases: Bool
    private static let topics = (0..<4).map { Topic(trusted: "n:\($0)") }
    private let limit: HistoryLimit
    private var random: SeededGenerator
    /// The store.
    private var rows: [Topic: Row] = [:]
    private var cursor: UInt64 = 100
    private var forgotten = ForgottenCursors()
    private var commits: [Commit] = []
    /// The number of commits that the tables have.
    private var toldCount = 0
    private let all: HistoryTable
    private let some: HistoryTable
    private let full: [TestHub]
    private let lean: [TestHub]
    /// The number of commits that each loop has.
    private var places: [Int]
    private var underway: [(read: HistoryRead, found: FoundHistory)] = []
    private(set) var comparisonCount = 0
    private(set) var readCount = 0

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        erases = seed.isMultiple(of: 2)
        let length = Publication(Self.topics[0], 1, cursor: 101).wireLength
        limit = HistoryLimit(
            count: Int.random(in: 1...5, using: &random),
            age: nil,
            bytes: Bool.random(using: &random) ? .max : 3 * length
        )
        let budget = Int.random(in: 1...20, using: &random) * length
        func table(_ isBacked: Bool, limit: HistoryLimit) -> HistoryTable {
            HistoryTable(
                epoch: "e",
                cursorBase: 100,
                isBacked: isBacked,
                namespaces: NamespaceTable(histories: ["n": limit]),
                limits: HubLimits(storedHistoryBytesMax: isBacked ? max(budget, 12 * length) : .max)
            )
        }
        all = table(false, limit: limit)
        some = table(true, limit: limit)
        full = [all, all, all].map { TestHub(sharing: $0) }
        lean = [some, some, some].map { TestHub(sharing: $0) }
        places = [0, 0, 0]
        self.random = random
    }

    func step() throws {
        let topic = Self.topics.randomElement(using: &random)!
        let loop = Int.random(in: 0..<places.count, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: publish(topic)
        case 25..<29: remove(topic)
        case 29..<34: erase(topic)
        case 34..<38: forget(topic)
        case 38..<55: tell(Int.random(in: 0...3, using: &random))
        case 55..<75: advance(loop, Int.random(in: 0...4, using: &random))
        case 75..<80: takeReads()
        case 80..<86: try finishOne()
        default: _ = try compare(loop, topic)
        }
    }

    func settle() throws {
        tell(commits.count)
        for loop in places.indices { advance(loop, commits.count) }
        for topic in Self.topics {
            var compared: Set<Int> = []
            for _ in 0..<20 {
                for loop in places.indices where try compare(loop, topic) { compared.insert(loop) }
                takeReads()
                while !underway.isEmpty { try finishOne() }
            }
            expectEqual(compared.count, places.count, "\(topic) was not compared by all loops")
        }
    }

    // MARK: The store

    private func publish(_ topic: Topic) {
        cursor += UInt64.random(in: 1...3, using: &random)
        var row =
            rows[topic]
            ?? Row(
                beginning: forgotten.beginning(of: topic, after: cursor - 1),
                topCursor: forgotten[topic],
                evictedCursor: forgotten[topic]
            )
        row.topOffset += 1
        row.topCursor = cursor
        let publication = Publication(
            topic,
            row.topOffset,
            cursor: cursor,
            tags: ["act": "\(Int.random(in: 0..<3, using: &random))"]
        )
        row.publications.append(publication)
        rows[topic] = row
        commits.append(.publication(publication))
    }

    private func remove(_ topic: Topic) {
        guard var row = rows[topic], let newest = row.publications.last else { return }
        (row.evictedOffset, row.evictedCursor) = (newest.offset, newest.cursor)
        row.publications = []
        rows[topic] = row
        commits.append(.removal(topic, through: newest.offset))
    }

    private func erase(_ topic: Topic) {
        guard erases, var row = rows[topic] else { return }
        let value = "\(Int.random(in: 0..<3, using: &random))"
        let erasure = Erasure(topic: topic, tag: "act", value: value)
        row.publications.removeAll { erasure.covers($0.tags) }
        rows[topic] = row
        commits.append(.erasure(erasure))
    }

    /// As the store does it: of a topic without publications that is quiet.
    private func forget(_ topic: Topic) {
        guard let row = rows[topic], row.publications.isEmpty,
            lean.allSatisfy({ $0.newestCursor >= row.topCursor })
        else { return }
        rows[topic] = nil
        let forgottenTopic = ForgottenTopic(topic, throughCursor: row.topCursor)
        forgotten.add(forgottenTopic)
        commits.append(.forgotten(forgottenTopic))
    }

    /// The newest publications within the limits of a read, as `HubStore` returns them.
    private func snapshot(_ read: HistoryRead) -> FoundHistory {
        guard let row = rows[read.topic] else {
            return .nothing(forgottenThrough: forgotten[read.topic])
        }
        var stored = StoredHistory(
            beginning: row.beginning,
            topOffset: row.topOffset,
            evictedOffset: row.evictedOffset,
            evictedCursor: row.evictedCursor,
            throughCursor: row.topCursor,
            publications: [],
            isCut: false
        )
        var bytes = 0
        for publication in row.publications.reversed() {
            bytes += publication.wireLength
            let isOver = row.topOffset - publication.offset >= UInt64(read.limit.count)
            let isTooMuch = bytes > read.limit.bytes && !stored.publications.isEmpty
            guard !isOver, !isTooMuch else {
                stored.isCut = !isOver
                (stored.evictedOffset, stored.evictedCursor) =
                    (publication.offset, publication.cursor)
                break
            }
            stored.publications.insert(publication, at: 0)
        }
        return .history(stored)
    }

    // MARK: The tables and loops

    private func tell(_ count: Int) {
        for commit in commits[toldCount...].prefix(count) {
            for table in [all, some] {
                switch commit {
                case .publication(let publication): table.publish(publication)
                case .removal(let topic, let offset):
                    table.removeHistory(of: topic, through: offset)
                case .erasure(let erasure): table.erase(erasure)
                case .forgotten(let topic): table.forget(topic)
                }
            }
            toldCount += 1
        }
    }

    private func advance(_ loop: Int, _ count: Int) {
        let end = min(toldCount, places[loop] + count)
        for commit in commits[places[loop]..<end] {
            for hub in [full[loop], lean[loop]] {
                switch commit {
                case .publication(let publication): hub.publish(publication)
                case .removal(let topic, let offset): hub.removeHistory(of: topic, through: offset)
                case .erasure(let erasure): hub.erase(erasure)
                case .forgotten(let topic):
                    hub.forget(topic.topic, throughCursor: topic.throughCursor)
                }
            }
        }
        places[loop] = end
        for hub in [full[loop], lean[loop]] {
            hub.trim(now: Timestamp(seconds: 0), topicCountMax: 2)
        }
    }

    private func takeReads() {
        for read in some.takeReads(countMax: 2) { underway.append((read, snapshot(read))) }
    }

    private func finishOne() throws {
        guard !underway.isEmpty else { return }
        let (read, found) = underway.remove(
            at: Int.random(in: 0..<underway.count, using: &random)
        )
        if Int.random(in: 0..<8, using: &random) == 0 {
            _ = some.fail(read.topic)
            return
        }
        if try some.finish(read, found) != nil { readCount += 1 }
    }

    /// Whether a commit is under way that makes the topic another one, or that takes publications from it:
    /// the store has carried it out already.
    private func isChanging(_ topic: Topic, _ loop: Int) -> Bool {
        commits[places[loop]...].enumerated().contains { index, commit in
            let isTold = places[loop] + index < toldCount
            return switch commit {
            // A topic without publications has the cursor of all removed topics of its namespace.
            case .forgotten: true
            case .removal(let removed, _): removed == topic && !isTold
            case .erasure(let erasure): erasure.topic == topic && !isTold
            case .publication: false
            }
        }
    }

    /// Returns false if the topic has to be read first.
    private func compare(_ loop: Int, _ topic: Topic) throws -> Bool {
        let (full, lean) = (full[loop], lean[loop])
        guard lean.request(topic) == nil else { return false }
        defer { lean.release(topic) }
        guard !isChanging(topic, loop) else { return true }
        comparisonCount += 1
        expect(!lean.isElsewhere(topic))
        expectEqual(lean.history(of: topic)?.newest(.max), full.history(of: topic)?.newest(.max))
        let top = full.position(of: topic)
        expectEqual(lean.position(of: topic), top)
        let since = Position(
            offset: UInt64.random(in: 0...top.offset + 1, using: &random),
            epoch: top.epoch
        )
        let cursor = UInt64.random(in: 100...full.newestCursor, using: &random)
        let found = lean.publications(of: [topic], afterCursor: cursor)
        let wanted = full.publications(of: [topic], afterCursor: cursor)
        expectEqual(found.publications, wanted.publications)
        if !erases { expectEqual(found, wanted) }
        let subscriber = Int32.random(in: 0..<3, using: &random)
        expectEqual(
            lean.unsubscribe(subscriber, from: topic),
            full.unsubscribe(subscriber, from: topic)
        )
        guard Bool.random(using: &random) else { return true }
        let form = WireForm(rawValue: 0)
        let own = try lean.subscribe(subscriber, form: form, to: topic, since: since)
        let expected = try full.subscribe(subscriber, form: form, to: topic, since: since)
        expectEqual(own.position, expected.position)
        expectEqual(own.recovery?.publications, expected.recovery?.publications)
        if !erases { expectEqual(own, expected) }
        return true
    }
}

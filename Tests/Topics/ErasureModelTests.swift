import Expectations
import SeededRandom
import Topics

/// Random publications, erasures, evictions and restarts: every answer of a history is compared with
/// what the complete list of all that was ever published says.
@Suite("Histories with erasures against a naive model", .timeLimit(.minutes(10)))
struct ErasureModelTests {
    /// Everything that was ever published, and what became of it.
    private struct Model {
        enum Fate { case kept, evicted, erased }

        var published: [(publication: Publication, fate: Fate)] = []
        var limit: HistoryLimit

        var top: UInt64 { UInt64(published.count) }
        var kept: [Publication] { of(.kept) }
        var newestEvicted: Publication? { of(.evicted).last }

        private func of(_ fate: Fate) -> [Publication] {
            published.filter { $0.fate == fate }.map(\.publication)
        }

        mutating func append(_ publication: Publication) {
            published.append((publication, .kept))
            evict { _ in false }
        }

        /// What is over the limit of count, and what else is to go.
        mutating func evict(_ goes: (Publication) -> Bool) {
            for index in published.indices where published[index].fate == .kept {
                let isOver = published.count - index > limit.count
                if isOver || goes(published[index].publication) { published[index].fate = .evicted }
            }
        }

        mutating func erase(_ value: String) {
            for index in published.indices
            where published[index].fate == .kept
                && published[index].publication.tags["by"] == value
            {
                published[index].fate = .erased
            }
        }

        func recovery(since: UInt64) -> Recovery {
            guard since <= top else { return .otherEpoch }
            let available = kept.filter { $0.offset > since }
            guard let lost = newestEvicted?.offset, lost > since else {
                return .complete(available)
            }
            return .gap(available: available, missing: since + 1...lost)
        }

        func recovery(cursor: UInt64) -> CursorRecovery {
            guard let lost = newestEvicted?.cursor, lost > cursor else {
                return .complete(kept.filter { $0.cursor > cursor })
            }
            return .gap(available: kept, through: lost)
        }

        func page(_ range: HistoryRange, countMax: Int) -> [UInt64] {
            let count = range.limit < 0 ? countMax : min(range.limit, countMax)
            let offsets = kept.map(\.offset)
            guard range.isReversed else {
                let since = range.since?.offset ?? 0
                return Array(offsets.filter { $0 > since }.prefix(count))
            }
            let since = range.since?.offset ?? top + 1
            guard since <= top + 1 else { return [] }
            return Array(offsets.filter { $0 < since }.reversed().prefix(count))
        }
    }

    private func check(
        _ history: TopicHistory,
        _ model: Model,
        _ random: inout SeededGenerator
    ) throws {
        expectEqual(history.topOffset, model.top)
        expectEqual(history.newest(.max), model.kept)
        expectEqual(history.evictedOffset, model.newestEvicted?.offset ?? 0)
        expectEqual(history.evictedCursor, model.newestEvicted?.cursor ?? 0)
        let offset = UInt64.random(in: 0...model.top + 2, using: &random)
        let recovery = history.recover(since: Position(offset: offset, epoch: "e"))
        expectEqual(recovery, model.recovery(since: offset))
        let cursor = UInt64.random(in: 0...3 * model.top + 3, using: &random)
        expectEqual(history.publications(afterCursor: cursor), model.recovery(cursor: cursor))
        let fate = offset > 0 && offset <= model.top ? model.published[Int(offset) - 1].fate : nil
        expectEqual((history.publication(at: offset) != nil), (fate == .kept))
        let isHole = fate == .erased && offset > model.newestEvicted?.offset ?? 0
        expectEqual(history.isErased(offset), isHole)
        let isReversed = Bool.random(using: &random)
        let range = HistoryRange(
            limit: Int.random(in: -1...6, using: &random),
            since: Bool.random(using: &random) && !(isReversed && offset == 0)
                ? Position(offset: offset, epoch: "e") : nil,
            isReversed: isReversed
        )
        let page = try history.page(range, countMax: 5)
        expectEqual(page.publications.map(\.offset), model.page(range, countMax: 5))
        expectEqual(page.position.offset, model.top)
    }

    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func everyAnswerIsThatOfTheModel(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...12, using: &random)
        let limit = HistoryLimit(count: count, age: .seconds(20))
        var model = Model(limit: limit)
        var history = TopicHistory(epoch: "e", limit: limit)
        var cursor: UInt64 = 0
        var now = 0.0
        for _ in 0..<400 {
            now += Double.random(in: 0...2, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<70:
                cursor += UInt64.random(in: 1...3, using: &random)
                let publication = Publication(
                    TopicHistoryTests.topic,
                    model.top + 1,
                    cursor: cursor,
                    seconds: now,
                    tags: ["by": "\(Int.random(in: 0..<4, using: &random))"]
                )
                history.append(publication)
                model.append(publication)
            case 70..<88:
                let value = "\(Int.random(in: 0..<4, using: &random))"
                history.erase(
                    Erasure(topic: TopicHistoryTests.topic, tag: "by", value: value)
                )
                model.erase(value)
            case 88..<94:
                let time = Timestamp(seconds: now)
                history.trim(now: time)
                model.evict { $0.time < time - .seconds(20) }
            case 94..<96:
                let through = UInt64.random(in: 0...model.top, using: &random)
                history.remove(through: through)
                model.evict { $0.offset <= through }
            default:
                history = try TopicHistory(
                    epoch: "e",
                    limit: limit,
                    topOffset: history.topOffset,
                    evictedOffset: history.evictedOffset,
                    evictedCursor: history.evictedCursor,
                    publications: history.newest(.max)
                )
            }
            try check(history, model, &random)
        }
    }
}

import Expectations
import SeededRandom

@testable import News

@Suite("Stories: what holds for all articles", .timeLimit(.minutes(10)))
struct StoryBoardPropertyTests {
    private func run(
        _ articles: [StoryInput],
        batch: (Int) -> Int = { _ in 1 }
    ) -> StoryRun {
        var run = StoryRun()
        run.add(articles, batch: batch)
        run.finish()
        return run
    }

    private func expectSame(_ run: StoryRun, _ other: StoryRun, _ comment: Comment) {
        expectEqual(run.events, other.events, comment)
        expectEqual(run.stories, other.stories, comment)
        expectEqual(run.board.rows, other.board.rows, comment)
    }

    /// Otherwise the other tests would prove little.
    @Test func articlesOfTheseTestsMergeSplitAndClose() {
        var kinds: [String: Int] = [:]
        for seed in UInt64(1)...2 {
            var articles = StoryArticles(seed: seed)
            for event in run(articles.next(200, topics: 30)).events {
                kinds["\(event)".prefix { $0 != "(" }.description, default: 0] += 1
            }
            for event in run(StoryMergeAndSplit(seed: seed).allArticles).events {
                kinds["\(event)".prefix { $0 != "(" }.description, default: 0] += 1
            }
        }
        for kind in ["created", "articleAdded", "merged", "split", "closed"] {
            expect(kinds[kind, default: 0] > 0, "\(kind): \(kinds)")
        }
    }

    @Test(arguments: UInt64(1)...3)
    func batchesDoNotMatter(seed: UInt64) {
        let articles = StoryMergeAndSplit(seed: seed).allArticles
        let one = run(articles)
        let all = run(articles) { _ in .max }
        var sizes = SeededGenerator(seed: seed)
        let some = run(articles) { _ in Int.random(in: 1...50, using: &sizes) }
        expectSame(one, all, "seed \(seed)")
        expectSame(one, some, "seed \(seed)")
    }

    @Test(arguments: UInt64(1)...3)
    func orderOfArticlesOfOneInstantDoesNotMatter(seed: UInt64) {
        let articles = StoryMergeAndSplit(seed: seed).allArticles
        var generator = SeededGenerator(seed: seed)
        let permuted = articles.shuffled(using: &generator).enumerated()
            .sorted { ($0.element.publishedAt, $0.offset) < ($1.element.publishedAt, $1.offset) }
            .map(\.element)
        expect(permuted != articles)
        let sizes = { (_: Int) in 7 }
        expectSame(run(articles), run(permuted, batch: sizes), "seed \(seed)")
    }

    @Test(arguments: UInt64(1)...2)
    func restartAfterEveryHundredthArticleChangesNothing(seed: UInt64) throws {
        let articles = StoryMergeAndSplit(seed: seed).allArticles
        var whole = StoryRun()
        var restarted = StoryRun()
        var stored: [StoryRow.Key: [UInt8]] = [:]
        for start in stride(from: 0, to: articles.count, by: 100) {
            let part = Array(articles[start..<min(start + 100, articles.count)])
            whole.add(part)
            restarted.add(part)
            let changes = restarted.board.takeChanges()
            expectEqual(changes.replacesAll, (start == 0))
            if changes.replacesAll { stored = [:] }
            for row in changes.rows { stored[row.key] = row.bytes }
            let rows = stored.map { StoryRow(key: $0, bytes: $1) }
            expectEqual(rows.sorted { $0.key < $1.key }, restarted.board.rows, "seed \(seed)")
            restarted.board = try StoryBoard(restoring: rows)
        }
        whole.finish()
        restarted.finish()
        expectSame(whole, restarted, "seed \(seed)")
    }

    @Test(arguments: UInt64(1)...3)
    func idsAscendAndAreNeverUsedAgain(seed: UInt64) {
        let run = run(StoryMergeAndSplit(seed: seed).allArticles)
        let created = run.events.compactMap { event -> Int? in
            if case .created(let id) = event { id } else { nil }
        }
        expectEqual(created, Array(1...created.count))
    }

    /// A reader of the events has the same stories as the board.
    @Test(arguments: UInt64(1)...3)
    func eventsTellEverything(seed: UInt64) throws {
        let articles = StoryMergeAndSplit(seed: seed).allArticles
        let run = run(articles)
        var assignment = StoryAssignment()
        assignment.apply(run.events)
        expectEqual(Set(assignment.stories.keys), Set(articles.map(\.articleID)))
        let counts = Dictionary(grouping: assignment.stories.values) { $0 }.mapValues(\.count)
        for story in run.stories {
            expectEqual(story.articleCount, counts[story.id], "seed \(seed), story \(story.id)")
            let articles = story.latestArticleIDs
            expect(articles.allSatisfy { assignment.stories[$0] == story.id })
            expect(articles.contains(story.medoidArticleID))
        }
    }

    @Test(arguments: UInt64(1)...3)
    func idsOfMergedStoriesAreFoundUntilTheStoryIsClosed(seed: UInt64) {
        let run = run(StoryMergeAndSplit(seed: seed).allArticles)
        var targets: [Int: Int] = [:]
        var closed: Set<Int> = []
        for event in run.events {
            if case .merged(let story, let into) = event { targets[story] = into }
            if case .closed(let story) = event { closed.insert(story) }
        }
        expect(!targets.isEmpty, "seed \(seed)")
        for id in targets.keys {
            var last = id
            while let next = targets[last] { last = next }
            expectEqual(run.board.story(id)?.id, (closed.contains(last) ? nil : last))
        }
    }

    @Test(arguments: UInt64(1)...2)
    func boundsHold(seed: UInt64) {
        var limits = StoryLimits()
        limits.openStoriesMax = 32
        limits.centroidTermsMax = 10
        limits.membersMax = 8
        limits.aliasesMax = 4
        limits.pendingMax = 5
        limits.countedTermsMax = 100
        limits.countedDocumentsMax = 150
        var run = StoryRun(board: StoryBoard(limits: limits))
        let articles = StoryMergeAndSplit(seed: seed).allArticles
        for start in stride(from: 0, to: articles.count, by: 10) {
            run.add(Array(articles[start..<min(start + 10, articles.count)])) { _ in 10 }
            expect(run.board.openStoryCount <= limits.openStoriesMax)
            expect(run.board.aliasCount <= limits.aliasesMax)
            expect(run.board.pendingCount <= limits.pendingMax)
            expect(run.board.frequencies.counts.count <= limits.countedTermsMax)
            expect(run.board.frequencies.documents <= limits.countedDocumentsMax)
            expect(run.stories.allSatisfy { $0.latestArticleIDs.count <= limits.membersMax })
            let stories = run.board.slots.compactMap { $0 }
            expect(stories.allSatisfy { $0.centroid.count <= limits.centroidTermsMax })
            expect(run.board.index.termCount <= limits.openStoriesMax * limits.centroidTermsMax)
            expect(run.board.slots.count <= limits.openStoriesMax + 1)
        }
    }
}

/// Articles that lead to every kind of event: topics that begin apart and grow together, topics
/// that share a word at first and then have none in common, and a week of time.
struct StoryMergeAndSplit {
    private var source: StoryArticles
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
        source = StoryArticles(seed: seed)
    }

    var allArticles: [StoryInput] {
        var copy = self
        return copy.makeArticles()
    }

    private mutating func makeArticles() -> [StoryInput] {
        let ordinary = source.next(260, minutesMax: 120)
        let start = ordinary[0].publishedAt
        var special: [StoryInput] = []
        var id = 10_000
        func add(_ minutes: Int64, _ title: String) {
            let instant = start + .seconds(60 * minutes)
            id += 1
            special.append(
                StoryInput(articleID: id, title: title, owner: "o", publishedAt: instant)
            )
        }
        for round in Int64(0)..<3 {
            let at = round * 1500
            let mark = "r\(seed)n\(round)"
            // Two stories that become one.
            for minute in Int64(0)..<4 {
                add(at + minute, "\(mark)left alpha\(mark) beta\(mark) gamma\(mark)")
                add(at + minute, "\(mark)right delta\(mark) epsilon\(mark) zeta\(mark)")
            }
            for minute in Int64(30)..<36 {
                add(at + minute, "\(mark)left alpha\(mark) beta\(mark) \(mark)right delta\(mark)")
            }
            // One story that becomes two, by bridges that are rare in the end.
            for minute in Int64(0)..<30 {
                let left = "one\(mark) two\(mark) three\(mark) four\(mark)"
                let right = "five\(mark) six\(mark) seven\(mark) eight\(mark)"
                if minute == 0 { add(at + minute, "\(left) \(right)") }
                add(at + 1 + minute, minute.isMultiple(of: 2) ? left : right)
            }
        }
        return (ordinary + special).sorted {
            ($0.publishedAt, $0.articleID) < ($1.publishedAt, $1.articleID)
        }
    }
}

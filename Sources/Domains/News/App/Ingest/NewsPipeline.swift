import DomainKit
import News

/// Makes stories, signals and events from articles, inside the transaction that stores them.
///
/// The pipeline is a value: `NewsService` copies it for a transaction and keeps the copy if the
/// transaction was committed. So memory and store always agree, and a transaction may run twice.
///
/// **State.** The board of stories, the index of duplicates, the scale of importance, and which
/// stories have a change that subscribers have not seen. The first and the third are stored with
/// each change; the others are rebuilt from the tables when the hub starts.
///
/// **Order.** An article is stored, compared with earlier ones, and placed in a story. Its signal
/// is computed once and published once: on the topics of its tickers and of its category, and on
/// `news:global` if it is important. Then every story that changed is computed again from its
/// articles, and published if a subscriber would see the difference.
package struct NewsPipeline: Sendable {
    /// The name of its rows in the store's domain state.
    package static let domain = NewsSection.key
    static let scaleKey = "importance"

    var board: StoryBoard
    var duplicates = DuplicateIndex()
    var scale: ImportanceScale
    /// Stories with a change that was published too recently to be published again.
    var waiting: Set<Int> = []
    /// The hour of the last review of the stories; nil before the first one since the start.
    var reviewedAt: Timestamp?

    /// The state of a hub without articles.
    package init() {
        board = StoryBoard()
        scale = ImportanceScale()
    }

    /// The events, erasures, state and counts of a transaction.
    package struct Output: Sendable {
        package var events: [NewsEvent] = []
        package var erasures: [Erasure] = []
        package var state: [StateRow] = []
        package var counts = NewsCounts()
    }

    // MARK: Inputs

    /// Stores articles, and the stories, signals and events that follow from them.
    ///
    /// - Parameters:
    ///   - articles: without ids.
    ///   - newID: makes a fresh id for each event.
    package mutating func take(
        _ articles: [Article],
        _ tables: NewsTables,
        now: Timestamp,
        newID: () -> String
    ) throws -> Output {
        var output = Output()
        var copies: [Int: Int] = [:]
        var inputs: [StoryInput] = []
        var touched: Set<Int> = []
        for article in articles {
            switch try tables.put(article) {
            case .unchanged: output.counts.unchanged += 1
            case .revised(let revised):
                output.counts.revised += 1
                if let signal = try tables.signal(ofArticle: revised.id) {
                    touched.insert(signal.storyID)
                }
            case .new(let stored):
                output.counts.added += 1
                let input = StoryInput(stored)
                copies[stored.id] = duplicates.add(input).originalID
                inputs.append(input)
            }
        }
        output.counts.copies += copies.count
        var events = board.add(inputs)
        events += board.settle(now: now)
        let context = Context(tables: tables, now: now, copies: copies)
        try apply(events, context, &touched, newID: newID, &output)
        try finish(touched, context, newID: newID, &output)
        return output
    }

    /// Reviews the stories once an hour, and publishes delayed changes.
    package mutating func tick(
        _ tables: NewsTables,
        now: Timestamp,
        newID: () -> String
    ) throws -> Output {
        var output = Output()
        var touched: Set<Int> = []
        let context = Context(tables: tables, now: now, copies: [:])
        var events = board.settle(now: now)
        let hour = now.roundedDown(to: NewsPipeline.reviewInterval)
        if reviewedAt.map({ $0 < hour }) ?? true {
            events += board.review(now: now)
            reviewedAt = hour
        }
        touched = waiting
        try apply(events, context, &touched, newID: newID, &output)
        try finish(touched, context, newID: newID, &output)
        return output
    }

    /// Whether `tick` would do anything.
    package func isDue(now: Timestamp) -> Bool {
        !waiting.isEmpty || board.pendingCount > 0
            || (reviewedAt.map { $0 < now.roundedDown(to: NewsPipeline.reviewInterval) } ?? true)
    }

    var openStoryCount: Int { board.openStoryCount }

    package static let reviewInterval = Duration.seconds(3600)

    /// The inputs of all steps of a transaction.
    struct Context {
        let tables: NewsTables
        let now: Timestamp
        /// The id of the original, by the id of its copy.
        let copies: [Int: Int]
    }

    // MARK: Results

    /// Computes the touched stories again, publishes the changes, and stores the state.
    mutating func finish(
        _ touched: Set<Int>,
        _ context: Context,
        newID: () -> String,
        _ output: inout Output
    ) throws {
        for story in touched.sorted() {
            try refresh(story, context, newID: newID, &output)
        }
        let changes = board.takeChanges()
        // The scale follows every story, also those that have left the board.
        guard !touched.isEmpty || !changes.rows.isEmpty || changes.replacesAll else { return }
        try context.tables.put(changes)
        output.state.append(
            StateRow(
                domain: NewsPipeline.domain,
                key: NewsPipeline.scaleKey,
                value: scale.bytes
            )
        )
    }
}

/// Articles by result.
package struct NewsCounts: Equatable, Sendable {
    package var added = 0
    package var revised = 0
    package var unchanged = 0
    /// Added articles that are copies of others.
    package var copies = 0
    /// Deleted, because they were withdrawn.
    package var withdrawn = 0

    package static func += (counts: inout NewsCounts, other: NewsCounts) {
        counts.added += other.added
        counts.revised += other.revised
        counts.unchanged += other.unchanged
        counts.copies += other.copies
        counts.withdrawn += other.withdrawn
    }
}

extension StoryInput {
    init(_ article: Article) {
        self.init(
            articleID: article.id,
            title: article.title,
            summary: article.summary,
            owner: article.source.owner,
            publishedAt: article.publishedAt
        )
    }
}

extension DuplicateVerdict {
    /// The article that it is a copy of.
    var originalID: Int? {
        switch self {
        case .original: nil
        case .exact(let id), .near(let id, _): id
        }
    }
}

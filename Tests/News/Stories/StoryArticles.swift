import SeededRandom

@testable import News

/// Articles that are made up: a number of topics with words of their own, and words that all share.
struct StoryArticles {
    var generator: SeededGenerator
    private var nextID = 1
    private var now: Int64 = 1_700_000_000_000

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// About half of the articles have the same instant as the one before.
    mutating func next(_ count: Int, topics: Int = 12, minutesMax: Int64 = 20) -> [StoryInput] {
        (0..<count).map { _ in
            if Bool.random(using: &generator) {
                now += Int64.random(in: 1...minutesMax * 60_000, using: &generator)
            }
            defer { nextID += 1 }
            let topic = Int.random(in: 0..<topics, using: &generator)
            return StoryInput(
                articleID: nextID,
                title: title(topic: topic),
                owner: "owner\(nextID % 7)",
                publishedAt: Timestamp(milliseconds: now)
            )
        }
    }

    /// Neighbouring topics have words in common, so that articles fall between stories.
    private mutating func title(topic: Int) -> String {
        let own = (0..<4).map { _ in
            "topic\(topic + Int.random(in: 0...1, using: &generator))word"
                + "\(Int.random(in: 0..<6, using: &generator))"
        }
        let common = (0..<3).map { _ in "common\(Int.random(in: 0..<40, using: &generator))" }
        return (own + common).shuffled(using: &generator).joined(separator: " ")
    }
}

extension StoryInput {
    /// An article of a hand-made story, `minutes` after the first one.
    static func at(_ minutes: Int64, _ articleID: Int, _ title: String) -> StoryInput {
        StoryInput(
            articleID: articleID,
            title: title,
            owner: "owner",
            publishedAt: .atMinute(minutes)
        )
    }
}

extension Timestamp {
    static func atMinute(_ minutes: Int64) -> Timestamp {
        Timestamp(milliseconds: 1_700_000_000_000 + minutes * 60_000)
    }
}

/// What a board does with articles in time order, with a review each hour.
struct StoryRun {
    var board: StoryBoard
    var events: [StoryEvent] = []
    private var nextReview: Timestamp?

    init(board: StoryBoard = StoryBoard()) {
        self.board = board
    }

    /// Articles have to be in time order. They are added in batches of at most `batch` articles; a
    /// review ends a batch.
    mutating func add(_ articles: [StoryInput], batch: (Int) -> Int = { _ in 1 }) {
        var waiting: [StoryInput] = []
        var size = batch(0)
        for (index, article) in articles.enumerated() {
            let instant = nextReview ?? article.publishedAt + .seconds(3600)
            nextReview = instant
            if article.publishedAt >= instant {
                events += board.add(waiting)
                waiting = []
                events += board.review(now: instant)
                nextReview = article.publishedAt + .seconds(3600)
            }
            waiting.append(article)
            if waiting.count >= size {
                events += board.add(waiting)
                waiting = []
                size = batch(index)
            }
        }
        events += board.add(waiting)
    }

    mutating func finish() {
        if let nextReview { events += board.review(now: nextReview + .seconds(3600)) }
    }

    var stories: [Story] { board.openStoryIDs.compactMap { board.story($0) } }
}

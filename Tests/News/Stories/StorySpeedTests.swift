import Expectations
import Foundation
import SeededRandom

@testable import News

/// Measures the speed on a file of the user's own: Tests/NewsEvaluation/stories.sh.
@Suite(
    "Stories: speed on a labelled file",
    .timeLimit(.minutes(10)),
    .enabled(if: ProcessInfo.processInfo.environment["VARDE_STORY_FILE"] != nil)
)
struct StorySpeedTests {
    private static let articleCount = 100_000
    /// 100,000 articles a day.
    private static let intervalMilliseconds: Int64 = 864

    /// The file again and again. Each round renames half of the words, so that it has stories of
    /// its own, and one word of each title at random.
    private func articles(_ file: StoryFile) -> [StoryInput] {
        var generator = SeededGenerator(seed: 1)
        return (0..<StorySpeedTests.articleCount).map { index in
            var article = file.rows[index % file.rows.count].article
            let round = index / file.rows.count
            var words = article.title.split(separator: " ").map { word in
                let hash = NewsWord.mixed(NewsWord.hash(word.lowercased().utf8) &+ UInt64(round))
                return hash.isMultiple(of: 2) ? "\(word)x\(round)" : String(word)
            }
            words[Int.random(in: words.indices, using: &generator)] += "y\(index)"
            article.title = words.joined(separator: " ")
            article.articleID = index
            article.publishedAt = Timestamp(
                milliseconds: 1_394_470_000_000 + Int64(index)
                    * StorySpeedTests.intervalMilliseconds
            )
            return article
        }
    }

    @Test func speedIsPrinted() throws {
        let path = try require(ProcessInfo.processInfo.environment["VARDE_STORY_FILE"])
        let articles = articles(StoryFile(Array(try Data(contentsOf: URL(filePath: path)))))
        var board = StoryBoard()
        var reviewSeconds = 0.0
        var openStoriesMax = 0
        var reviewedHour = 0
        let start = clock()
        for (index, article) in articles.enumerated() {
            _ = board.add([article])
            let hour = index * Int(StorySpeedTests.intervalMilliseconds) / 3_600_000
            guard hour > reviewedHour else { continue }
            reviewedHour = hour
            let reviewStart = clock()
            _ = board.review(now: article.publishedAt)
            reviewSeconds += StorySpeedTests.seconds(since: reviewStart)
            openStoriesMax = max(openStoriesMax, board.openStoryCount)
        }
        let seconds = StorySpeedTests.seconds(since: start)
        expect(board.openStoryCount > 0)
        print(
            "stories: \(Int(Double(articles.count) / seconds)) articles a second, one by one;",
            "\(reviewedHour) reviews took \(Int(reviewSeconds * 1000)) of \(Int(seconds * 1000)) ms;",
            "at most \(openStoriesMax) open stories"
        )
    }

    @Test func speedOfTheDuplicateIndexIsPrinted() throws {
        let path = try require(ProcessInfo.processInfo.environment["VARDE_STORY_FILE"])
        var articles = articles(StoryFile(Array(try Data(contentsOf: URL(filePath: path)))))
        // A summary of about 60 words.
        for index in articles.indices {
            let others = (1...5).map { articles[(index + 577 * $0) % articles.count].title }
            articles[index].summary = others.joined(separator: ". ")
        }
        var duplicates = DuplicateIndex()
        var originals = 0
        let start = clock()
        for article in articles where duplicates.add(article) == .original { originals += 1 }
        let seconds = StorySpeedTests.seconds(since: start)
        expect(originals > 0)
        print(
            "duplicates: \(Int(Double(articles.count) / seconds)) a second;",
            "\(originals) of \(articles.count) are originals"
        )
    }

    private static func seconds(since start: clock_t) -> Double {
        Double(clock() - start) / Double(CLOCKS_PER_SEC)
    }
}

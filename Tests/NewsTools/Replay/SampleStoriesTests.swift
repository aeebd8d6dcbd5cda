import Expectations
import News

@testable import NewsTools
@testable import Replay

@Suite("Recorded feeds: the stories of the demo", .timeLimit(.minutes(10)))
struct SampleStoriesTests {
    private let items: [FeedTable.Item]

    init() throws {
        items = news(of: try recording()).track.tables[0].items
    }

    /// As the hub makes them of the articles.
    private func stories() -> [Int: Int] {
        StoryReplay.stories(
            of: items.enumerated().map { index, item in
                StoryInput(
                    articleID: index,
                    title: item.title,
                    summary: item.text,
                    owner: item.feed,
                    publishedAt: item.at
                )
            }
        )
    }

    @Test func itemsOfOneStoryAndNoOthersBecomeOneStory() {
        let stories = stories()
        let meant = Dictionary(grouping: items.indices) { items[$0].story }
        let found = Dictionary(grouping: items.indices) { stories[$0]! }
        for (name, indices) in meant {
            let ids = Set(indices.map { stories[$0]! })
            expectEqual(ids.count, 1, "\(name): \(indices.map { (items[$0].title, stories[$0]!) })")
        }
        for (id, indices) in found {
            let names = Set(indices.map { items[$0].story })
            expectEqual(names.count, 1, "\(id): \(indices.map { items[$0].title })")
        }
    }

    @Test func theNightHasManyReportsOfSeveralStories() {
        let night = items.filter {
            $0.at >= time("2024-12-09T16:00:00Z") && $0.at < time("2024-12-10T03:00:00Z")
        }
        let counts = Dictionary(grouping: night) { $0.story }.mapValues(\.count)
        expect(night.count >= 55)
        expect(counts.values.filter { $0 >= 4 }.count >= 10)
        expectEqual(counts["aurora"].map { $0 >= 13 }, true)
    }

    @Test func textsThatNameCompaniesSayThatTheyAreSamples() {
        let names = ["NASDAQ", "$", "Nvidia", "Apple", "Tesla"]
        let named = items.filter { item in
            names.contains { item.title.contains($0) || item.text.contains($0) }
        }
        expect(named.count >= 12)
        expect(named.allSatisfy { $0.title.hasPrefix("Sample: ") })
    }
}

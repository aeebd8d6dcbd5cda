import Logging
import News
import NewsFeeds
import Polling
import Store
import Tasks
import Timekeeping

/// The articles of a hub: what sources bring is stored here.
package struct NewsService: Sendable {
    package let settings: NewsSection
    package let store: HubStore
    package let clock: HubClock
    package let logger: Logger
    private let articles = ArticleReader()

    package init(settings: NewsSection, store: HubStore, clock: HubClock, logger: Logger) {
        self.settings = settings
        self.store = store
        self.clock = clock
        self.logger = logger
    }

    /// What a document of a source has changed.
    package struct Taken: Equatable, Sendable {
        package var newCount = 0
        package var revisedCount = 0
        package var skippedCount = 0
    }

    /// Stores the articles of a feed's document and what is kept of the feed, in one transaction.
    ///
    /// - Throws: `FeedError` for what is no feed, `StoreError`. Nothing has changed then.
    @discardableResult
    package func take(
        _ document: FeedDocument,
        from source: NewsSection.Source,
        keeping row: FeedRow
    ) async throws -> Taken {
        let reading = articles.read(document, from: source, now: clock.now)
        let length = reading.articles.reduce(0) { $0 + Change.rowBytes + $1.length }
        return try await store.commitNews(length: length) { tables in
            var taken = Taken()
            taken.skippedCount = reading.skippedCount
            // A feed has its newest items first; the oldest is stored first.
            for article in reading.articles.reversed() {
                switch try tables.put(article) {
                case .new: taken.newCount += 1
                case .revised: taken.revisedCount += 1
                case .unchanged: break
                }
            }
            return (Change(feeds: [row]), taken)
        }
    }

    package func keep(_ row: FeedRow) async throws {
        _ = try await store.commit(Change(feeds: [row]))
    }
}

extension Article {
    /// Of its texts in bytes, for the bounds of a change.
    fileprivate var length: Int {
        url.utf8.count + title.utf8.count + summary.utf8.count + content.utf8.count
    }
}

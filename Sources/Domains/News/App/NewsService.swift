import DomainKit
import News

/// The news of a hub: stores articles from sources, and the preferences of users.
///
/// Changes are made one after another, each in one transaction with its articles, stories, events
/// and webhooks. Reads use snapshots of the store and do not wait for changes.
///
/// Read on in `NewsService+Ingest.swift`, `+Reading.swift` and `+Users.swift`.
package final class NewsService: Sendable {
    package let settings: NewsSection
    package let store: HubStore
    package let clock: HubClock
    package let logger: Logger
    let articles = ArticleReader()
    let cursors: NewsCursors
    let metrics: NewsMetrics
    /// Nil without a configured model.
    let writer: NewsWriter?
    let seen = Locked(SeenUsers())
    private let outbox: OutboxRouter
    private let execution = SerialExecution()
    private let pipeline: Locked<NewsPipeline>

    package init(
        settings: NewsSection,
        pipeline: NewsPipeline = NewsPipeline(),
        cursorKey: [UInt8],
        writer: NewsWriter? = nil,
        store: HubStore,
        clock: HubClock,
        outbox: OutboxRouter,
        metrics: DomainMetrics = DomainMetrics(),
        logger: Logger
    ) {
        let pipeline = Locked(pipeline)
        self.settings = settings
        self.writer = writer
        self.pipeline = pipeline
        cursors = NewsCursors(key: cursorKey)
        self.store = store
        self.clock = clock
        self.outbox = outbox
        self.metrics = NewsMetrics(metrics.registry) {
            pipeline.withLock { $0.openStoryCount }
        }
        self.logger = logger
    }

    /// Whether stories have to be reviewed or published even without new articles.
    func isTickDue() -> Bool { pipeline.withLock { $0.isDue(now: clock.now) } }

    static func newID() -> String {
        uuidVersion7(wall: HubClock.wall, random: randomBytes(uuidRandomLength))
    }

    // MARK: Transactions

    /// Runs `body` in a transaction, commits its output, and keeps the changed pipeline.
    ///
    /// - Parameters:
    ///   - length: about how many bytes `body` writes.
    ///   - body: may run twice.
    func commit(
        length: Int,
        feeds: [FeedRow] = [],
        _ body:
            @escaping @Sendable (inout NewsPipeline, NewsTables, Timestamp) throws ->
            NewsPipeline.Output
    ) async throws -> NewsPipeline.Output {
        try await execution.run { [self] in
            let now = clock.now
            let before = pipeline.withLock { $0 }
            let (next, output, hasDeliveries) = try await store.commitNews(length: length) {
                [self] tables in
                var next = before
                let output = try body(&next, tables, now)
                var change = change(output, now: now)
                change.feeds = feeds
                return (change, (next, output, !change.deliveries.isEmpty))
            }
            pipeline.withLock { $0 = next }
            metrics.note(output.counts)
            if hasDeliveries || !output.erasures.isEmpty { outbox.wake() }
            return output
        }
    }

    private func change(_ output: NewsPipeline.Output, now: Timestamp) -> Change {
        var change = Change(state: output.state, erasures: output.erasures, clock: now)
        for event in output.events { add(event, to: &change) }
        return change
    }

    /// Publishes an event on its topics, and delivers it once to each webhook for any of them.
    func add(_ event: NewsEvent, to change: inout Change) {
        change.events += event.topics.map {
            TopicEvent(topic: $0, event: event.event, tags: event.tags)
        }
        change.deliveries += outbox.deliveries(
            of: event.event,
            topics: event.topics,
            tags: event.tags,
            wall: HubClock.wall
        )
    }

    func wakeOutbox() { outbox.wake() }
}

import DomainKit
import NewsFeeds

/// The sources of the configuration as feeds that are polled.
package struct NewsSources {
    let service: NewsService
    /// The keys of sources of the kind `newsapi`, by the name of the source.
    private let keys: [String: Secret]

    /// - Parameter keys: as `NewsSection.newsAPIKeys` returns them. A source of the kind `newsapi`
    ///   without one is not polled.
    package init(service: NewsService, keys: [String: Secret] = [:]) {
        self.service = service
        self.keys = keys
    }

    /// The input that all sources have in common: a story needs no particular one.
    static let input = "news.articles"
    /// A longer document is refused.
    static let bodyBytesMax = 2 << 20
    private static let redirectsMax = 5
    /// The longest pause that a document may ask for.
    private static let documentWaitMax = Duration.seconds(86_400)
    private static let format = FeedFormat(
        accept: """
            application/rss+xml, application/atom+xml, application/feed+json, \
            application/rdf+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1
            """
    )

    package var all: [PolledFeed] {
        let budgets = self.budgets
        return service.settings.sources.compactMap { source in
            switch source.kind {
            case .feed: return polled(source)
            case .newsapi:
                guard let key = keys[source.name], let budget = budgets[key.revealed] else {
                    return nil
                }
                return newsAPI(source, key: key, budget: budget)
            }
        }
    }

    /// One budget for each key. Of several sources with one key, the lowest limit applies.
    private var budgets: [String: NewsAPIBudget] {
        var limits: [String: Int] = [:]
        for source in service.settings.sources {
            guard let key = keys[source.name]?.revealed else { continue }
            limits[key] = min(limits[key] ?? source.dailyRequests, source.dailyRequests)
        }
        return Dictionary(
            uniqueKeysWithValues: limits.map { key, dailyMax in
                let budget = NewsAPIBudget(
                    key: key,
                    dailyMax: dailyMax,
                    store: service.store,
                    clock: service.clock,
                    logger: service.logger
                )
                return (key, budget)
            }
        )
    }

    private func polled(_ source: NewsSection.Source) -> PolledFeed {
        let name = "news.\(source.name)"
        let reader = FeedReader(limits: FeedLimits(itemCountMax: source.itemsMax))
        let notBefore = Locked<Timestamp?>(nil)
        return PolledFeed(
            name: name,
            url: source.address,
            policy: FeedPolicy(
                interval: source.effectiveInterval,
                bodyBytesMax: NewsSources.bodyBytesMax,
                // Errors that last until an operator changes the source.
                stopsOn: [401, 403, 410],
                redirectsMax: NewsSources.redirectsMax
            ),
            format: NewsSources.format,
            role: .alternative(input: NewsSources.input, group: name),
            apply: { [service] body, validators in
                let document = try reader.read(
                    body.bytes,
                    contentType: body.contentType,
                    url: validators.location(of: source.address)
                )
                let wait = NewsSources.wait(document, now: service.clock.now)
                var validators = validators
                if let wait { validators.notBefore = max(validators.notBefore ?? wait, wait) }
                let row = FeedRow(name: name, validators)
                let taken = try await service.take(document, from: source, keeping: row)
                notBefore.withLock { $0 = wait }
                service.log(taken, document, of: source)
            },
            keep: { [service] in try await service.keep(FeedRow(name: name, $0)) },
            notBefore: { notBefore.withLock { $0 } }
        )
    }

    /// When a document may be requested again: after its `ttl`, and not in the hours that it skips.
    static func wait(_ document: FeedDocument, now: Timestamp) -> Timestamp? {
        var time = now
        if let interval = document.pollInterval { time = now + min(interval, documentWaitMax) }
        let hour = Duration.seconds(3600)
        for _ in 0..<24 {
            let start = time.roundedDown(to: hour)
            let number = Int(start.milliseconds / hour.wholeMilliseconds % 24)
            guard document.skippedHours.contains(number) else { break }
            time = start + hour
        }
        return time > now ? time : nil
    }
}

extension NewsService {
    /// Logs the changes that a document of a source has made.
    func log(_ taken: Taken, _ document: FeedDocument, of source: NewsSection.Source) {
        if document.isDamaged {
            logger.warning("news: damaged document", metadata: ["source": "\(source.name)"])
        }
        guard taken != Taken() else { return }
        logger.debug(
            "news: document read",
            metadata: [
                "source": "\(source.name)", "new": .stringConvertible(taken.counts.added),
                "revised": .stringConvertible(taken.counts.revised),
                "skipped": .stringConvertible(taken.skippedCount),
            ]
        )
    }
}

import DomainKit
import Foundation
import News

/// The news domain: articles of feeds, and the topics on which they are published.
package struct NewsDomain: Domain {
    package static let manifest = DomainManifest(
        name: NewsSection.key,
        namespaces: [.news],
        migrations: NewsTables.migrations,
        alertFields: [NewsSection.key: NewsAlertFields.names],
        eventTypes: [
            "news.brief.published", "news.preferences.updated", "news.signal.published",
            "news.signal.removed", "news.story.created", "news.story.merged", "news.story.removed",
            "news.story.updated",
        ],
        topics: [
            TopicDescription("news:global", "Important signals and stories.", "news-event"),
            TopicDescription("news:ticker:{ticker}", "The news of a company.", "news-event"),
            TopicDescription("news:category:{category}", "The news of a category.", "news-event"),
            TopicDescription(
                "news:user:{user}",
                "Briefs and preferences of a user.",
                "news-event",
                readers: "Only the user may."
            ),
        ],
        prefixes: [NewsRoutes.prefixes, NewsAPIRoutes.prefixes, NewsPushRoutes.prefixes],
        forget: { store, user in
            guard let user = NewsUserID(user) else { return }
            try await store.deleteNewsData(of: user)
        }
    )

    private let settings: NewsSection
    private let writer: ConfiguredWriter?
    private let newsAPIKeys: [String: Secret]

    package init(
        _ settings: NewsSection,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) {
        self.settings = settings
        writer = settings.writer.flatMap { writer in
            ConfiguredWriter(
                writer,
                environment: environment,
                readFile: { try? String(contentsOfFile: $0, encoding: .utf8) }
            ) { report("\(NewsSection.writerPath).\($0)", $1) }
        }
        newsAPIKeys = settings.newsAPIKeys(
            environment: environment,
            readFile: { try? String(contentsOfFile: $0, encoding: .utf8) },
            report: report
        )
    }

    package var topicRules: [String: any TopicRules] { [NewsSection.key: NewsTopicRules()] }

    package func open(_ hub: HubContext) async throws -> any DomainService {
        let rows = try await hub.store.state(domain: NewsPipeline.domain)
        let scale = rows.first { $0.key == NewsPipeline.scaleKey }?.value
        let now = hub.clock.now
        let pipeline = try await hub.store.readNews {
            try NewsPipeline(restoring: $0, scale: scale, now: now)
        }
        let service = NewsService(
            settings: settings,
            pipeline: pipeline,
            cursorKey: try await NewsDomain.cursorKey(rows, hub.store),
            writer: try await newsWriter(hub),
            store: hub.store,
            clock: hub.clock,
            outbox: hub.outbox,
            metrics: hub.metrics,
            logger: hub.logger
        )
        return RunningNews(
            service: service,
            pages: PageReader(
                userAgent: hub.userAgent,
                allowed: settings.allowedAddresses.compactMap { AddressBlock($0) }
            ),
            keys: NewsAPIKeys(settings.appKeys, development: hub.development),
            pollers: try await FeedPollers(
                NewsSources(service: service, keys: newsAPIKeys).all,
                hub
            ),
            isDevelopment: hub.development
        )
    }

    private func newsWriter(_ hub: HubContext) async throws -> NewsWriter? {
        guard let writer else {
            // Exports the metrics of the writer even without a model.
            _ = WriterMetrics(hub.metrics.registry) { 0 }
            return nil
        }
        return try await NewsWriter(
            writer,
            client: ProviderClient(client: hub.upstream, userAgent: hub.userAgent),
            store: hub.store,
            clock: hub.clock,
            board: hub.feeds,
            metrics: hub.metrics,
            logger: hub.logger
        )
    }

    private static let cursorKeyRow = "cursor_key"

    /// The key that signs cursors. It is stored, so that cursors remain valid after a restart.
    private static func cursorKey(_ rows: [StateRow], _ store: HubStore) async throws -> [UInt8] {
        if let key = rows.first(where: { $0.key == cursorKeyRow })?.value,
            key.count >= NewsCursors.keyLengthMin
        {
            return key
        }
        let key = randomBytes(NewsCursors.keyLengthMin)
        let row = StateRow(domain: NewsPipeline.domain, key: cursorKeyRow, value: key)
        _ = try await store.commit(Change(state: [row]))
        return key
    }
}

/// The news of a running hub.
private struct RunningNews: DomainService {
    let service: NewsService
    let pages: PageReader
    let keys: NewsAPIKeys
    let pollers: FeedPollers
    let isDevelopment: Bool

    func add(to routes: inout Routes, _ context: RouteContext) {
        NewsRoutes(
            service: service,
            pages: pages,
            access: context.access,
            reads: context.reads,
            isDevelopment: isDevelopment
        ).add(to: &routes)
        NewsAPIRoutes(service: service, keys: keys, reads: context.reads).add(to: &routes)
        NewsPushRoutes(
            service: service,
            access: context.access,
            isDevelopment: isDevelopment
        ).add(to: &routes)
    }

    var userData: [UserDataSection] { service.store.newsUserData }

    func forget(_ user: String) async throws {
        guard let user = NewsUserID(user) else { return }
        try await service.deleteData(of: user)
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [pollers] in await pollers.run() }
            group.addTask { [service] in await service.tick() }
            group.addTask { [service] in await service.trim() }
            group.addTask { [service] in await service.index() }
            group.addTask { [service] in await service.keepBriefs() }
            group.addTask { [service] in await service.writer?.run() }
        }
    }
}

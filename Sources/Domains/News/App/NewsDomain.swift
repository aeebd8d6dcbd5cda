import Access
import Configuration
import DomainKit
import HTTPService
import Store
import Timekeeping

/// The news: articles of feeds, and the topics on which they are published.
package struct NewsDomain: Domain {
    package static let manifest = DomainManifest(
        name: NewsSection.key,
        namespaces: [.news],
        migrations: NewsTables.migrations
    )

    private let settings: NewsSection

    package init(
        _ settings: NewsSection,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) {
        self.settings = settings
    }

    package var topicRules: [String: any TopicRules] { [NewsSection.key: NewsTopicRules()] }

    package func open(_ hub: HubContext) async throws -> any DomainService {
        let service = NewsService(
            settings: settings,
            store: hub.store,
            clock: hub.clock,
            logger: hub.logger
        )
        let sources = NewsSources(service: service)
        return RunningNews(
            service: service,
            keys: NewsAPIKeys(settings.appKeys, development: hub.development),
            pollers: try await FeedPollers(sources.all, hub)
        )
    }
}

/// The news of a hub that runs.
private struct RunningNews: DomainService {
    let service: NewsService
    let keys: NewsAPIKeys
    let pollers: FeedPollers

    func add(to routes: inout Routes, _ context: RouteContext) {
        NewsAPIRoutes(service: service, keys: keys, reads: context.reads).add(to: &routes)
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [pollers] in await pollers.run() }
            group.addTask { [service] in await service.trim() }
        }
    }
}

extension NewsService {
    private static let trimInterval = Duration.seconds(600)

    /// Deletes what is too old or too much, until it is cancelled.
    func trim() async {
        repeat {
            do {
                try await store.trimArticles(firstSeenBefore: clock.now - settings.retention)
                try await store.trimArticles(to: settings.articlesMax)
            } catch {
                logger.warning("news: articles not trimmed", metadata: ["err": "\(error)"])
            }
        } while (try? await Task.sleep(for: NewsService.trimInterval)) != nil
    }
}

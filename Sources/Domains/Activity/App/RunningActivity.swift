import Access
import Activity
import Alerting
import Configuration
import Digests
import DomainKit
import Foundation
import HTTPService
import Logging
import Outbox
import Store
import Tasks
import Upstream

/// The film app of a hub that runs: its service, its logins, and what it does in the background.
struct RunningActivity: DomainService {
    let service: ActivityService
    let logins: LoginService
    private let apple: AppleIdentities?

    /// Between two looks for logins that have ended by themselves.
    private static let trimPause = Duration.seconds(3600)

    init(_ domain: ActivityDomain, _ hub: HubContext) throws {
        let settings = domain.settings
        guard let issuer = hub.credentials.issuer else {
            preconditionFailure("the configuration was checked: a secret for tokens")
        }
        service = ActivityService(
            settings: settings,
            store: hub.store,
            clock: hub.clock,
            friends: domain.friends,
            endedLogins: hub.endedLogins,
            outbox: hub.outbox,
            alerts: hub.alerts,
            metrics: hub.metrics,
            logger: hub.logger
        )
        apple = AppleIdentities(
            settings.apple,
            keys: hub.credentials.appleKeys,
            client: hub.upstream,
            logger: hub.logger
        )
        logins = LoginService(
            settings: settings,
            storage: StoredLogins(store: hub.store),
            apple: apple,
            allowsDevelopment: hub.development,
            issuer: issuer,
            ended: hub.endedLogins,
            disconnect: { [service] user, logins in
                await service.loops?.disconnect(user: user, logins: logins)
            },
            logger: hub.logger
        )
    }

    /// What has to be there before the first request: the catalogue, who is whose friend, and which logins
    /// have ended.
    ///
    /// - Throws: `CatalogueError`, `StoreError`.
    func prepare() async throws {
        if let file = service.settings.catalogue { try await loadCatalogue(file) }
        try await loadFriends()
        try await loadEndedLogins()
    }

    func add(to routes: inout Routes, _ context: RouteContext) {
        let rate = LoginRate(count: context.countLogin, noteReached: context.noteLoginRefused)
        LoginRoutes(service: logins, rate: rate).add(to: &routes)
        ActivityRoutes(service: service, access: context.access, reads: context.reads)
            .add(to: &routes)
    }

    func connect(_ topics: (any TopicControl)?) { service.connect(topics) }

    /// There may be another secret.
    func use(_ credentials: Credentials) {
        if let issuer = credentials.issuer { logins.use(issuer) }
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [service] in await ActivityChores(service: service).run() }
            group.addTask { [service] in
                await service.taste.run(every: service.settings.recomputeInterval)
            }
            group.addTask { await trimLogins() }
            if let apple { group.addTask { await apple.run() } }
        }
    }

    private func trimLogins() async {
        while (try? await Task.sleep(for: RunningActivity.trimPause)) != nil {
            do { try await logins.trim() } catch {
                service.logger.error("activity: logins not trimmed", metadata: ["err": "\(error)"])
            }
        }
    }

    // MARK: At the start

    /// The domain of the row that says which catalogue was loaded last; the value is its SHA-256.
    private static let catalogueDomain = "catalogue"
    private static let friendshipsPage = 10_000

    /// Loads the catalogue, unless it is the one that was loaded last.
    private func loadCatalogue(_ file: String) async throws {
        let store = service.store
        guard let data = FileManager.default.contents(atPath: file) else {
            throw CatalogueError("the catalogue \(file) cannot be read")
        }
        let digest = sha256(Array(data))
        let known = try await store.state(domain: RunningActivity.catalogueDomain)
        guard known.first(where: { $0.key == file })?.value != digest else { return }
        let importer = CatalogueImporter(
            target: StoreImportTarget(hubStore: store),
            now: service.clock.now,
            tell: { _ in }
        )
        let report = try await importer.catalogue(file: file)
        let row = StateRow(domain: RunningActivity.catalogueDomain, key: file, value: digest)
        _ = try await store.commit(Change(state: [row]))
        service.logger.notice(
            "activity: catalogue loaded",
            metadata: ["file": "\(file)", "films": "\(report.films.all)"]
        )
    }

    private func loadEndedLogins() async throws {
        let horizon = logins.ended.horizon(now: HubClock.wall)
        // One more than there is room for shows that there are more.
        let rows = try await service.store.readActivity {
            try $0.endedLogins(after: horizon, limit: EndedLogins.countMax + 1)
        }
        for row in rows.reversed() { logins.ended.add([row.family], at: row.endedAt) }
    }

    private func loadFriends() async throws {
        var last = (personID: 0, friendID: 0)
        while true {
            let after = last
            let page = try await service.store.readActivity {
                try $0.friendships(after: after, limit: RunningActivity.friendshipsPage)
                    .map { [$0.personID, $0.friendID] }
            }
            for pair in page { service.friends.add(pair[0], pair[1]) }
            guard let end = page.last, page.count == RunningActivity.friendshipsPage else { return }
            last = (end[0], end[1])
        }
    }
}

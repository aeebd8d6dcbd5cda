import Access
import Activity
import Alerting
import Configuration
import Digests
import Foundation
import HTTPService
import Logging
import Outbox
import Store
import Tasks
import Upstream

/// The film app, wired: its service, its logins, and what it does in the background.
package struct ActivityDomain: Sendable {
    package let service: ActivityService
    package let logins: LoginService
    private let apple: AppleIdentities?

    /// Between two looks for logins that have ended by themselves.
    private static let trimPause = Duration.seconds(3600)

    package init(
        settings: Configuration.Activity,
        development: Bool,
        credentials: Credentials,
        friends: FriendTable,
        endedLogins: EndedLogins,
        store: HubStore,
        clock: HubClock,
        outbox: OutboxRouter,
        alerts: AlertBook,
        client: UpstreamClient,
        metrics: DomainMetrics,
        logger: Logger
    ) throws {
        guard let issuer = credentials.issuer else {
            preconditionFailure("the configuration was checked: a secret for tokens")
        }
        service = ActivityService(
            settings: settings,
            store: store,
            clock: clock,
            friends: friends,
            endedLogins: endedLogins,
            outbox: outbox,
            alerts: alerts,
            metrics: metrics,
            logger: logger
        )
        apple = AppleIdentities(
            settings.apple,
            keys: credentials.appleKeys,
            client: client,
            logger: logger
        )
        logins = LoginService(
            settings: settings,
            storage: StoredLogins(store: store),
            apple: apple,
            allowsDevelopment: development,
            issuer: issuer,
            ended: endedLogins,
            disconnect: { [service] personID, logins in
                await service.loops?.disconnect(user: String(personID), logins: logins)
            },
            logger: logger
        )
    }

    /// What has to be there before the first request: the catalogue, who is whose friend, and which logins
    /// have ended.
    ///
    /// - Throws: `CatalogueError`, `StoreError`.
    package func prepare() async throws {
        if let file = service.settings.catalogue { try await loadCatalogue(file) }
        try await loadFriends()
        try await loadEndedLogins()
    }

    package func add(
        to routes: inout Routes,
        access: RouteAccess,
        reads: FairReads,
        loginRate: LoginRate
    ) {
        LoginRoutes(service: logins, rate: loginRate).add(to: &routes)
        ActivityRoutes(service: service, access: access, reads: reads).add(to: &routes)
    }

    package func run(in group: inout DiscardingTaskGroup) {
        let service = service
        let interval = service.settings.recomputeInterval
        group.addTask { await ActivityChores(service: service).run() }
        group.addTask { await service.taste.run(every: interval) }
        group.addTask { await trimLogins() }
        if let apple { group.addTask { await apple.run() } }
    }

    private func trimLogins() async {
        while (try? await Task.sleep(for: ActivityDomain.trimPause)) != nil {
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
        let known = try await store.state(domain: ActivityDomain.catalogueDomain)
        guard known.first(where: { $0.key == file })?.value != digest else { return }
        let importer = CatalogueImporter(
            target: StoreImportTarget(hubStore: store),
            now: service.clock.now,
            tell: { _ in }
        )
        let report = try await importer.catalogue(file: file)
        let row = StateRow(domain: ActivityDomain.catalogueDomain, key: file, value: digest)
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
                try $0.friendships(after: after, limit: ActivityDomain.friendshipsPage)
                    .map { [$0.personID, $0.friendID] }
            }
            for pair in page { service.friends.add(pair[0], pair[1]) }
            guard let end = page.last, page.count == ActivityDomain.friendshipsPage else { return }
            last = (end[0], end[1])
        }
    }
}

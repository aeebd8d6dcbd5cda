import Activity
import DomainKit

/// The film app of a hub that runs: its service, and its work in the background.
struct RunningActivity: DomainService {
    let service: ActivityService

    init(_ domain: ActivityDomain, _ hub: HubContext) throws {
        guard let accounts = hub.accounts else {
            preconditionFailure("a domain with users has accounts")
        }
        service = ActivityService(
            settings: domain.settings,
            store: hub.store,
            clock: hub.clock,
            friends: domain.friends,
            endedLogins: accounts.ended,
            outbox: hub.outbox,
            alerts: hub.alerts,
            metrics: hub.metrics,
            logger: hub.logger
        )
    }

    /// Loads the data that is needed before the first request: the catalogue and the friendships.
    ///
    /// - Throws: `CatalogueError`, `StoreError`.
    func prepare() async throws {
        try await indexTexts()
        if let file = service.settings.catalogue { try await loadCatalogue(file) }
        try await loadFriends()
    }

    func add(to routes: inout Routes, _ context: RouteContext) {
        ActivityRoutes(
            service: service,
            access: context.access,
            reads: context.reads,
            userData: context.userData,
            forget: context.forget
        ).add(to: &routes)
    }

    /// Deleting the account has deleted the person; `ActivityChores` deletes the other rows.
    func forget(_ user: String) async throws {}

    var userData: [UserDataSection] { service.store.activityUserData }

    func connect(_ topics: (any TopicControl)?) { service.connect(topics) }

    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [service] in await ActivityChores(service: service).run() }
            group.addTask { [service] in
                await service.taste.run(every: service.settings.recomputeInterval)
            }
        }
    }

    // MARK: At the start

    /// The domain of the row for the catalogue loaded last; the value is its SHA-256.
    private static let catalogueDomain = "catalogue"
    private static let friendshipsPage = 10_000

    /// Loads the catalogue, unless it is the one that was loaded last.
    private func loadCatalogue(_ file: String) async throws {
        let store = service.store
        let digest = sha256(
            try contents(ofFile: file, lengthMax: ImportLimits.documentBytesMax)
        )
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
            metadata: ["file": "\(file)", "films": .stringConvertible(report.films.all)]
        )
    }

    /// The key of the row that marks that the texts of all films are in the index.
    private static let textsKey = "texts of films, in parts"
    private static let textsPage = 500

    /// Once for a file whose films were stored when other texts were searched: at most a minute for 60,000 films.
    private func indexTexts() async throws {
        let store = service.store
        let known = try await store.state(domain: RunningActivity.catalogueDomain)
        guard !known.contains(where: { $0.key == RunningActivity.textsKey }) else { return }
        var last: Int? = 0
        while let after = last {
            last = try await store.commitActivity { tables in
                let last = try tables.indexTexts(after: after, limit: RunningActivity.textsPage)
                return (Change(), last)
            }
        }
        let row = StateRow(
            domain: RunningActivity.catalogueDomain,
            key: RunningActivity.textsKey,
            value: Array("1".utf8)
        )
        _ = try await store.commit(Change(state: [row]))
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
            guard let end = page.last, page.count == RunningActivity.friendshipsPage else {
                return service.friends.open()
            }
            last = (end[0], end[1])
        }
    }
}

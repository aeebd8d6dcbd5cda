import Activity
import Configuration
import Duties
import Expectations
import HubTesting
import LoopTesting
import Service
import StoreTesting

@testable import ActivityApp

/// The film app over a store of its own, without routes and loops. Its clock stands still, and nothing happens in
/// the background but what a test asks for.
struct FilmAppHub: Sendable {
    static let start = Timestamp(iso8601: "2026-03-02T10:00:00Z")!

    let store: HubStore
    let service: ActivityService
    let publications: Locked<[Publication]>
    /// Looks at what was told when a test asks it to.
    let follower: TopicAlertsFollower

    /// Runs `body` with people and films that have the ids 1, 2 and so on.
    static func run(
        people: Int,
        films: Int = 1,
        endpoints: [WebhookEndpoint] = [],
        rules: [AlertRule] = [],
        commits: FailingCommits? = nil,
        _ change: (inout ActivitySection) -> Void = { _ in },
        _ body: (FilmAppHub) async throws -> Void
    ) async throws {
        var settings = ActivitySection()
        change(&settings)
        let ready = settings
        try await withTemporaryStore(migrations: filmMigrations, commits: commits) { store in
            let hub = FilmAppHub(
                store: store,
                settings: ready,
                outbox: OutboxRouter(endpoints: endpoints, wake: {}),
                rules: rules
            )
            try await store.commitActivity { tables in
                for number in 1...people {
                    let name = "p\(number)"
                    _ = try tables.findOrInsert(
                        NewPerson(provider: "test", subject: name, name: name, createdAt: start)
                    )
                }
                for number in 1...films { try tables.put(Film(id: 0, title: "Film \(number)")) }
                return (Change(), ())
            }
            try await body(hub)
        }
    }

    private init(
        store: HubStore,
        settings: ActivitySection,
        outbox: OutboxRouter,
        rules: [AlertRule]
    ) {
        let clock = HubClock(.recording(start: FilmAppHub.start, speed: 0, anchor: HubClock.wall))
        let book = AlertBook(
            configured: rules.map { (Configuration.Alert(), $0) },
            namespaces: NamespaceRules([.activity], friends: FriendDirectory { _, _ in false })
        )
        self.store = store
        service = ActivityService(
            settings: settings,
            store: store,
            clock: clock,
            friends: FriendTable(),
            outbox: outbox,
            alerts: book,
            logger: silentLogger
        )
        follower = TopicAlertsFollower(
            book: book,
            owned: [],
            restored: AlertHoldings(feeds: ActivityQuotes()),
            store: store,
            clock: clock,
            outbox: outbox,
            logger: silentLogger
        )
        let publications = Locked<[Publication]>([])
        self.publications = publications
        store.observe(\.committed) { [follower] more in
            publications.withLock { $0 += more }
            follower.note(more)
        }
    }

    /// Without a request, so that nobody is told of it.
    func befriend(_ one: Int, _ others: some Sequence<Int>) async throws {
        for other in others {
            try await store.commitActivity { tables in
                (Change(), try tables.befriend(one, other, at: FilmAppHub.start))
            }
            await service.noteFriendship(of: one, and: other)
        }
    }

    func rate(_ filmID: Int, _ stars: Int, by personID: Int) async throws {
        let request = try RateRequest(json: Array(#"{"rating":\#(stars)}"#.utf8))
        _ = try await service.rate(filmID, request, by: personID)
    }

    /// Everything that is done in the background, to its end.
    func carryOutChores() async throws {
        let chores = ActivityChores(service: service)
        while try await chores.tellNextPage() {}
        while try await chores.purgeNext() {}
    }

    /// What came on somebody's topic, by one of the tags.
    func tags(_ tag: String, on personID: Int) -> [String] {
        publications.withLock { list in
            list.filter { $0.topic == activityTopic(personID) }.compactMap { $0.tags[tag] }
        }
    }
}

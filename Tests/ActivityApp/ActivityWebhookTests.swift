import Activity
import Configuration
import Duties
import Expectations
import HubTesting

@testable import ActivityApp
@testable import Store

@Suite("Film app: webhooks that wait, and what is deleted", .timeLimit(.minutes(10)))
struct ActivityWebhookTests {
    /// Kari, the person 1, has the friends 2 and 3, and has rated both films.
    private struct App {
        let service: ActivityService
        let store: HubStore

        func rate(_ filmID: Int, by personID: Int) async throws {
            let request = try RateRequest(json: Array(#"{"rating":4}"#.utf8))
            _ = try await service.rate(filmID, request, by: personID)
        }

        /// Types and subjects of what waits for an endpoint, the oldest first.
        func waiting(for endpoint: String) async throws -> [String] {
            try await store.pendingDeliveries(perEndpoint: 99, of: [endpoint]).map {
                "\($0.eventType) by \($0.subject ?? "")"
            }
        }
    }

    private static func endpoint(_ name: String, _ topics: [String]) throws -> WebhookEndpoint {
        WebhookEndpoint(
            name: name,
            url: "http://127.0.0.1:9/",
            secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
            filter: try WebhookFilter(topics: topics),
            timeout: .seconds(60)
        )
    }

    private func withApp(
        fanoutInAct: Int = 500,
        _ body: (App) async throws -> Void
    ) async throws {
        try await withTemporaryStore(migrations: filmMigrations) { store in
            var settings = ActivitySection()
            settings.fanoutInAct = fanoutInAct
            let endpoints = [
                try Self.endpoint("all", []), try Self.endpoint("two", ["activity:2"]),
                try Self.endpoint("both", ["activity:2", "activity:3"]),
            ]
            let service = ActivityService(
                settings: settings,
                store: store,
                clock: HubClock(.wall),
                friends: FriendTable(),
                outbox: OutboxRouter(endpoints: endpoints) {},
                logger: silentLogger
            )
            try await store.commitActivity { tables in
                for name in ["Kari", "Ola", "Per"] {
                    let person = NewPerson(
                        provider: "test",
                        subject: name,
                        name: name,
                        createdAt: HubClock.wall
                    )
                    _ = try tables.findOrInsert(person)
                }
                for title in ["The General", "Sherlock Jr."] {
                    try tables.put(Film(id: 0, title: title))
                }
                for friend in [2, 3] { try tables.befriend(1, friend, at: HubClock.wall) }
                return (Change(), ())
            }
            let app = App(service: service, store: store)
            for film in [1, 2] { try await app.rate(film, by: 1) }
            try await app.rate(1, by: 2)
            let all = ["1", "1", "2"].map { "activity.created by \($0)" }
            try await expectEqual(app.waiting(for: "all"), all)
            try await body(app)
        }
    }

    private let created = "activity.created by 1"

    @Test(arguments: [500, 1])
    func ratingThatIsTakenBackIsNotSentAndThatItIsGoneIs(fanoutInAct: Int) async throws {
        try await withApp(fanoutInAct: fanoutInAct) { app in
            try await app.service.unrate(1, by: 1)
            // With many friends, in the transactions that tell these.
            let chores = ActivityChores(service: app.service)
            while try await chores.tellNextPage() {}
            let expected = [created, "activity.deleted by 1"]
            try await expectEqual(app.waiting(for: "two"), expected)
            try await expectEqual(app.waiting(for: "both"), expected)
            let all = [created, "activity.created by 2", "activity.deleted by 1"]
            try await expectEqual(app.waiting(for: "all"), all)
        }
    }

    /// Whoever hears of it through another friend goes on hearing.
    @Test func endOfAFriendshipTakesWhatWasHeardThroughItAlone() async throws {
        try await withApp { app in
            _ = try await app.service.unfriend(2, by: 1)
            try await expectEqual(app.waiting(for: "two"), [])
            try await expectEqual(app.waiting(for: "both"), [created, created])
            try await expectEqual(app.waiting(for: "all").count, 3)
            _ = try await app.service.block(1, by: 3)
            try await expectEqual(app.waiting(for: "both"), [])
            try await expectEqual(app.waiting(for: "all").count, 3)
        }
    }

    @Test(arguments: [500, 1])
    func deletedAccountLeavesNothingThatTellsOfIt(fanoutInAct: Int) async throws {
        try await withApp(fanoutInAct: fanoutInAct) { app in
            try await app.service.unrate(1, by: 1)
            try await app.service.deleteAccount(1)
            // At once; what others hear of goes with the histories of friends.
            let expected = ["activity.created by 2", "activity.deleted by 1"]
            try await expectEqual(app.waiting(for: "all"), expected)
            let chores = ActivityChores(service: app.service)
            while try await chores.purgeNext() {}
            try await expectEqual(app.waiting(for: "two"), ["activity.deleted by 1"])
            try await expectEqual(app.waiting(for: "both"), ["activity.deleted by 1"])
        }
    }
}

import Activity
import Configuration
import Duties
import Expectations
import HubTesting
import LoopTesting

@testable import ActivityApp

/// A film app with two films and people with the ids 1, 2 and so on, who all are friends of the first.
private struct FilmApp {
    let store: HubStore
    let service: ActivityService
    let metrics = DomainMetrics()

    init(_ store: HubStore, people: Int, fanoutInAct: Int) async throws {
        self.store = store
        var settings = ActivitySection()
        settings.fanoutInAct = fanoutInAct
        service = ActivityService(
            settings: settings,
            store: store,
            clock: HubClock(.wall),
            friends: FriendTable(),
            outbox: OutboxRouter(endpoints: [], wake: {}),
            metrics: metrics,
            logger: silentLogger
        )
        let now = HubClock.wall
        try await service.commit { tables in
            for title in ["Metropolis", "The General"] {
                _ = try tables.put(Film(id: 0, title: title))
            }
            for number in 1...people {
                let name = "Kari \(number)"
                _ = try tables.findOrInsert(
                    NewPerson(provider: "test", subject: name, name: name, createdAt: now)
                )
            }
            for friend in 2...people { try tables.befriend(1, friend, at: HubClock.wall) }
            return (.nothing, ())
        }
    }

    func rate(_ filmID: Int, stars: Int) async throws {
        let request = try RateRequest(json: Array(#"{"rating":\#(stars)}"#.utf8))
        _ = try await service.rate(filmID, request, by: 1)
    }

    func value(_ name: String, _ labels: [String: String] = [:]) async throws -> Double? {
        try await metrics.registry.exposition().value("hub_" + name, labels)
    }

    func acts(_ kind: String) async throws -> Double? {
        try await value("activity_acts_total", ["kind": kind])
    }
}

@Suite("Metrics of the film app", .timeLimit(.minutes(10)))
struct ActivityMetricsTests {
    private func withApp(
        people: Int = 3,
        fanoutInAct: Int = 10,
        _ body: (FilmApp) async throws -> Void
    ) async throws {
        try await withTemporaryStore(migrations: filmMigrations) { store in
            try await body(try await FilmApp(store, people: people, fanoutInAct: fanoutInAct))
        }
    }

    @Test func actIsCountedByItsKindAndOnce() async throws {
        try await withApp { app in
            try await expectEqual(app.acts("rating"), 0)
            try await app.rate(1, stars: 4)
            try await app.rate(1, stars: 4)
            try await expectEqual(app.acts("rating"), 1, "the same again is no act")
            try await app.rate(1, stars: 5)
            try await expectEqual(app.acts("rating"), 2)
            try await expect(app.service.setWatchlist(2, .add, by: 1))
            try await expect(!app.service.setWatchlist(2, .remove, by: 1))
            try await expectEqual(app.acts("watchlist"), 1, "nobody is told what is taken off")
            try await expectEqual(app.acts("review"), 0)
        }
    }

    @Test func actThatIsRefusedIsNotCounted() async throws {
        try await withApp { app throws in
            await #expect(throws: ActivityError.self) { try await app.rate(99, stars: 4) }
            try await expectEqual(app.acts("rating"), 0)
        }
    }

    @Test func actOfSomebodyWithManyFriendsWaitsUntilAllAreTold() async throws {
        try await withApp(people: 4, fanoutInAct: 2) { app in
            try await expectEqual(app.value("activity_fanout_waiting"), 0)
            try await expectEqual(app.value("activity_fanout_oldest_seconds"), 0)
            try await app.rate(1, stars: 4)
            try await app.rate(2, stars: 3)
            try await expectEqual(app.acts("rating"), 2)
            try await expectEqual(app.value("activity_fanout_waiting"), 2)
            // A scrape an hour later.
            let state = try await app.store.readActivity { try $0.fanOutState() }
            var text = MetricsText()
            text.write(state, now: HubClock.wall + .seconds(3600))
            let metrics = try Exposition(text.text)
            let age = try require(metrics.value("hub_activity_fanout_oldest_seconds"))
            expect(age >= 3599)
            let chores = ActivityChores(service: app.service)
            while try await chores.tellNextPage() {}
            try await expectEqual(app.value("activity_fanout_waiting"), 0)
            try await expectEqual(app.acts("rating"), 2, "told is not done again")
        }
    }

    @Test func activityThatIsTakenBackIsErasedFromEachFriend() async throws {
        try await withApp { app in
            try await app.rate(1, stars: 4)
            expectEqual(app.store.statistics.erasures, 0)
            try await app.service.unrate(1, by: 1)
            // Of two friends, of the two topics that have alerts of each one's feed, and of webhooks that
            // hear of everybody.
            expectEqual(app.store.statistics.erasures, 7)
            expectEqual(app.store.statistics.publicationsErased, 2)
            // A farewell takes what is left of each out of the other's history: that there was an act.
            _ = try await app.service.unfriend(2, by: 1)
            expectEqual(app.store.statistics.erasures, 13)
            expectEqual(app.store.statistics.publicationsErased, 3)
        }
    }

    @Test func modelOfRecommendationsIsADerivationWhenSomethingHasChanged() async throws {
        try await withApp { app in
            func count() async throws -> Double? {
                try await app.value("derive_seconds_count", ["domain": "activity"])
            }
            try await app.service.taste.build()
            try await expectEqual(count(), 1)
            try await app.service.taste.build()
            try await expectEqual(count(), 1, "nothing was derived")
            try await app.rate(1, stars: 4)
            try await app.service.taste.build()
            try await expectEqual(count(), 2)
        }
    }
}

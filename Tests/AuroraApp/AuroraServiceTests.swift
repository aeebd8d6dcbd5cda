import Aurora
import Configuration
import Duties
import Expectations
import Foundation
import HubTesting
import LoopTesting
import Repository
import Service
import StoreTesting

@testable import AuroraApp

@Suite("Aurora service: what is committed and what is served", .timeLimit(.minutes(10)))
struct AuroraServiceTests {
    private static let start = Timestamp(iso8601: "2024-12-09T17:10:00Z")!

    private func service(
        _ store: HubStore,
        endpoints: [WebhookEndpoint] = [],
        rules: [AlertRule] = [.auroraExcellent],
        silences: AlertSilences = AlertSilences()
    ) -> AuroraService {
        AuroraService(
            pipeline: AuroraPipeline(places: [.tromso], rules: rules),
            store: store,
            clock: HubClock(
                .recording(start: AuroraServiceTests.start, speed: 1, anchor: HubClock.wall)
            ),
            outbox: OutboxRouter(endpoints: endpoints, wake: {}),
            silences: silences,
            logger: silentLogger
        )
    }

    private func ovation() throws -> [UInt8] {
        let path = "recordings/spaceweather/ovation_aurora_latest.2024-12-09-active.json"
        return Array(try Data(contentsOf: URL(fileURLWithPath: "\(repositoryRoot)/\(path)")))
    }

    private let validators = FeedValidators(etag: "\"one\"")

    private func stored(_ store: HubStore) async throws -> [String: FeedValidators] {
        var found: [String: FeedValidators] = [:]
        for row in try await store.feedValidators() {
            let value = Data(row.validators ?? [])
            found[row.name] = try JSONDecoder().decode(FeedValidators.self, from: value)
        }
        return found
    }

    @Test func bodyIsCommittedWithItsEventItsStateAndItsValidators() async throws {
        try await withTemporaryStore { store in
            let published = Locked<[Publication]>([])
            store.observe(\.committed) { publications in published.withLock { $0 += publications } }
            let service = service(store)
            let problems = service.problems
            expectEqual(problems.map(\.part), ["aurora tromso"])
            expectEqual(problems.map(\.reason), ["no data on the activity have arrived yet"])
            try await service.apply(
                .ovation,
                place: "",
                feed: "swpc.ovation",
                body: ovation(),
                validators: validators
            )
            expect(service.problems.isEmpty)
            expectEqual(
                published.withLock { $0.map(\.topic) },
                [auroraTopic(.tromso), auroraOvalTopic]
            )
            try await expectEqual(
                store.state(domain: "aurora").map(\.key),
                ["ovation", "published:tromso", "published_oval"]
            )
            try await expectEqual(stored(store), ["swpc.ovation": validators])
            let clock = try await require(store.lastClock())
            expect(clock >= AuroraServiceTests.start)
            expect(service.derivation(of: "tromso") != nil)
        }
    }

    @Test func sameBodyAgainCommitsItsValidatorsAlone() async throws {
        try await withTemporaryStore { store in
            let service = service(store)
            let body = try ovation()
            for etag in ["\"one\"", "\"two\""] {
                try await service.apply(
                    .ovation,
                    place: "",
                    feed: "swpc.ovation",
                    body: body,
                    validators: FeedValidators(etag: etag)
                )
            }
            expectEqual(store.statistics.publications, 2, "the conditions and the map")
            try await expectEqual(stored(store)["swpc.ovation"]?.etag, "\"two\"")
        }
    }

    @Test func validatorsOfDataThatHasNotChangedAreKept() async throws {
        try await withTemporaryStore { store in
            try await service(store).keep(feed: "swpc.kp", validators: validators)
            try await expectEqual(stored(store), ["swpc.kp": validators])
            try await expectEqual(store.state(domain: "aurora"), [])
        }
    }

    @Test func bodyThatDoesNotDecodeChangesNothing() async throws {
        try await withTemporaryStore { store throws in
            let service = service(store)
            await #expect(throws: PayloadError.self) {
                try await service.apply(
                    .ovation,
                    place: "",
                    feed: "swpc.ovation",
                    body: Array("<html>".utf8),
                    validators: validators
                )
            }
            try await expectEqual(stored(store), [:])
            expectNil(service.derivation(of: "tromso"))
        }
    }

    @Test func refusedCommitLeavesMemoryAsItWas() async throws {
        try await withTemporaryStore { store in
            let service = service(store)
            let body = try ovation()
            try await store.close()
            await #expect(throws: StoreError.self) {
                try await service.apply(
                    .ovation,
                    place: "",
                    feed: "swpc.ovation",
                    body: body,
                    validators: validators
                )
            }
            expectNil(service.derivation(of: "tromso"))
        }
    }

    private struct End: Equatable {
        var announced: AnnouncedTexts
        var stored: AnnouncedTexts
        var active: Int
        var deliveries: [String]
    }

    @Test func alertOfACommitWithoutAnAnswerIsRaisedOnce() async throws {
        let secret = WebhookSecret(key: [UInt8](repeating: 7, count: 24))
        let endpoint = WebhookEndpoint(
            name: "pager",
            url: "http://127.0.0.1:1/",
            secrets: [secret],
            filter: try WebhookFilter(types: ["aurora.alert.*"], topics: [], severities: []),
            timeout: .seconds(1)
        )
        let rule = try AlertRule(
            name: "any",
            topics: "aurora:*",
            when: AlertExpression("score >= 0"),
            severity: .info
        )
        let body = try ovation()
        try await expectSameEndWithUnansweredCommits { run in
            try await withTemporaryStore(commits: run.commits) { store in
                let announced = Announcements()
                store.observe(\.committed, announced.add)
                let service = service(store, endpoints: [endpoint], rules: [rule])
                run.begin()
                for etag in ["one", "two", "three"] {
                    try await run.attempt {
                        try await service.apply(
                            .ovation,
                            place: "",
                            feed: "swpc.ovation",
                            body: body,
                            validators: FeedValidators(etag: etag)
                        )
                    }
                }
                let end = End(
                    announced: AnnouncedTexts(announced.all, eventType),
                    stored: AnnouncedTexts(try await store.storedPublications(), eventType),
                    active: try await store.alerts(.active, limit: 9).count,
                    deliveries: try await store.pendingDeliveries(perEndpoint: 9).map(\.eventType)
                )
                expectEqual(end.announced, end.stored)
                expectEqual(end.active, 1)
                expectEqual(end.deliveries, ["aurora.alert.raised"])
                return end
            }
        }
    }

    @Test func eventIsCommittedWithItsWebhooks() async throws {
        let secret = WebhookSecret(key: [UInt8](repeating: 7, count: 24))
        let endpoint = WebhookEndpoint(
            name: "pager",
            url: "http://127.0.0.1:1/",
            secrets: [secret],
            filter: try WebhookFilter(types: ["aurora.*"], topics: [], severities: []),
            timeout: .seconds(1)
        )
        try await withTemporaryStore { store in
            let published = Locked<[Publication]>([])
            store.observe(\.committed) { publications in published.withLock { $0 += publications } }
            try await service(store, endpoints: [endpoint]).apply(
                .ovation,
                place: "",
                feed: "swpc.ovation",
                body: ovation(),
                validators: validators
            )
            let row = try await require(store.pendingDeliveries(perEndpoint: 10).first)
            expectEqual(row.eventType, "aurora.conditions.updated")
            expectEqual(published.withLock { $0.first?.payload }, Optional(row.body))
        }
    }

    @Test(arguments: [false, true])
    func silencedAlertIsCommittedWithoutItsWebhooks(isSilenced: Bool) async throws {
        let endpoint = WebhookEndpoint(
            name: "pager",
            url: "http://127.0.0.1:1/",
            secrets: [WebhookSecret(key: [UInt8](repeating: 7, count: 24))],
            filter: try WebhookFilter(types: ["aurora.alert.*"], topics: [], severities: []),
            timeout: .seconds(1)
        )
        let rule = try AlertRule(
            name: "any",
            topics: "aurora:*",
            when: AlertExpression("score >= 0"),
            severity: .info
        )
        let silences = AlertSilences()
        let now = HubClock.wall
        let subject = isSilenced ? "tromso" : "alta"
        silences.put(
            AlertSilence(
                id: "1",
                subject: subject,
                created: now,
                until: now + .seconds(3600),
                by: "ops"
            )
        )
        try await withTemporaryStore { store in
            let service = service(store, endpoints: [endpoint], rules: [rule], silences: silences)
            try await service.apply(
                .ovation,
                place: "",
                feed: "swpc.ovation",
                body: ovation(),
                validators: validators
            )
            let record = try await require(store.alerts(.active, limit: 9).first?.record)
            expect(record.rule == "any" && record.subject == "tromso")
            expect(record.topic == "aurora:tromso:alerts" && record.isSilenced == isSilenced)
            let waiting = try await store.pendingDeliveries(perEndpoint: 10).map(\.eventType)
            expectEqual(waiting, (isSilenced ? [] : ["aurora.alert.raised"]))
        }
    }

    @Test func firstWordWaitsUntilEveryExpectedFeedHasAnsweredOrFailed() async throws {
        try await withTemporaryStore { store in
            let published = Locked<[Publication]>([])
            store.observe(\.committed) { publications in published.withLock { $0 += publications } }
            let service = service(store)
            service.expect(feeds: ["swpc.ovation", "swpc.kp"])
            try await service.apply(
                .ovation,
                place: "",
                feed: "swpc.ovation",
                body: ovation(),
                validators: validators
            )
            await service.settle(feed: "swpc.ovation")
            await service.settle(feed: "swpc.ovation")
            expectNil(service.derivation(of: "tromso"))
            expect(published.withLock { $0.isEmpty })
            await service.settle(feed: "swpc.kp")
            expect(service.derivation(of: "tromso") != nil)
            expectEqual(
                published.withLock { $0.map(\.topic) },
                [auroraTopic(.tromso), auroraOvalTopic]
            )
        }
    }

    @Test func placeThatIsNotConfiguredHasNoDerivation() async throws {
        try await withTemporaryStore { store in
            let service = service(store)
            try await service.apply(
                .ovation,
                place: "",
                feed: "swpc.ovation",
                body: ovation(),
                validators: validators
            )
            expectEqual(service.places, [.tromso])
            expectNil(service.derivation(of: "alta"))
        }
    }
}

@Suite("Aurora feeds", .timeLimit(.minutes(10)))
struct AuroraFeedsTests {
    private func feeds(_ places: [Place]) async throws -> [PolledFeed] {
        try await withTemporaryStore { store in
            let service = AuroraService(
                pipeline: AuroraPipeline(places: places, rules: []),
                store: store,
                clock: HubClock(.wall),
                outbox: OutboxRouter(endpoints: [], wake: {}),
                logger: silentLogger
            )
            var settings = AuroraSection()
            settings.swpcURL = "https://swpc.example"
            settings.metnoURL = "https://met.example/base"
            return AuroraFeeds(settings: settings, places: places, service: service).all
        }
    }

    @Test func everyProductIsPolledOnceAndTheWeatherForEachPlace() async throws {
        let alta = try Place(id: "alta", name: "Alta", latitude: 69.97, longitude: 23.27)
        let feeds = try await feeds([.tromso, alta])
        expectEqual(
            feeds.map(\.name),
            [
                "swpc.solar_wind", "swpc.rtsw_mag", "swpc.rtsw_wind", "swpc.kp",
                "swpc.kp_minutes", "swpc.kp_forecast", "swpc.outlook", "swpc.ovation",
                "swpc.scales", "swpc.bulletins", "metno.weather:tromso", "metno.weather:alta",
            ]
        )
        expectEqual(Set(feeds.map(\.url)).count, feeds.count)
        let swpc = feeds.filter { $0.name.hasPrefix("swpc.") }
        expect(swpc.allSatisfy { $0.url.hasPrefix("https://swpc.example/") })
        expect(swpc.allSatisfy { !$0.policy.honoursExpires && $0.policy.stopsOn.isEmpty })
        expect(feeds.allSatisfy { $0.policy.bodyBytesMax <= AuroraLimits.bodyBytesMax })
    }

    /// MET Norway refuses more than four decimals, and asks to be left alone until `Expires`.
    @Test(arguments: [
        (69.6492, 18.9553, 10.0, "lat=69.6492&lon=18.9553&altitude=10"),
        (69.64929, -18.95539, 10.9, "lat=69.6492&lon=-18.9553&altitude=10"),
        (-33.0, 0.00019, -5.0, "lat=-33.0000&lon=0.0001&altitude=0"),
        (90.0, -180.0, 0.0, "lat=90.0000&lon=-180.0000&altitude=0"),
    ])
    func weatherIsAskedForWithFourDecimalsAndByTheRules(
        latitude: Double,
        longitude: Double,
        altitude: Double,
        query: String
    ) async throws {
        let place = try Place(
            id: "here",
            name: "Here",
            latitude: latitude,
            longitude: longitude,
            altitude: altitude
        )
        let feed = try await require(feeds([place]).last)
        expectEqual(
            feed.url,
            "https://met.example/base/weatherapi/locationforecast/2.0/compact?\(query)"
        )
        expect(feed.policy.honoursExpires)
        expectEqual(feed.policy.stopsOn, [401, 403])
    }
}

import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting
import Service
import StoreTesting

@testable import Duties

/// A store, and followers over it, one process after the other: each knows only what the one before it has stored.
private final class FollowerLives: Sendable {
    let store: HubStore
    let metrics = DomainMetrics()
    private let rules: [AlertRule]
    private let history: HistoryLimit
    private let running = Locked<TopicAlertsFollower?>(nil)
    private let ruleStore = Locked<AlertRuleStore?>(nil)
    private let publications = Locked<[Publication]>([])

    init(_ store: HubStore, rules: [AlertRule] = [], history: Int = 10_000) {
        self.store = store
        self.rules = rules
        self.history = HistoryLimit(count: history, age: nil)
        store.observe(\.committed) { [publications, running] committed in
            publications.withLock { $0 += committed }
            running.withLock { $0 }?.note(committed)
        }
    }

    var follower: TopicAlertsFollower? { running.withLock { $0 } }

    /// What the process has in memory is gone.
    func kill() {
        running.withLock { $0 = nil }
        ruleStore.withLock { $0 = nil }
    }

    /// An orderly end.
    func stop() async throws {
        let follower = try require(follower)
        let task = Task { await follower.run() }
        task.cancel()
        await task.value
        kill()
    }

    /// - Parameter more: rules that are new in the configuration.
    func start(more: [AlertRule] = []) async throws {
        let book = AlertBook(
            configured: (rules + more).map { (Configuration.Alert(), $0) },
            namespaces: NamespaceRules(["orders", "news"].map { Configuration.Namespace($0) })
        )
        let made = try await AlertRuleStore(book: book, store: store, logger: silentLogger)
        var holdings = AlertHoldings()
        let restored = holdings.restore(
            alerts: try await store.alertStates(),
            fields: try await store.state(domain: FollowedTopics.domain)
                + store.state(domain: FollowedTopics.userDomain),
            cursors: try await store.state(domain: FollowedTopics.cursorDomain),
            book: book
        )
        expectEqual(restored.unusable, [])
        let follower = TopicAlertsFollower(
            book: book,
            owned: ["radar"],
            restored: holdings,
            stale: restored.stale,
            store: store,
            clock: HubClock(.wall),
            outbox: OutboxRouter(endpoints: [], wake: {}),
            metrics: metrics,
            logger: silentLogger
        )
        made.connect(follower)
        let topics = try await store.loadTopics(now: HubClock.wall) { [history] _ in history }
        await follower.resume(with: topics)
        running.withLock { $0 = follower }
        ruleStore.withLock { $0 = made }
    }

    func make(_ rule: String, owner: String? = nil) async throws {
        let store = try require(ruleStore.withLock { $0 })
        _ = try await store.create(json: Array(rule.utf8), owner: owner)
    }

    func publish(_ payloads: [(topic: String, payload: String)]) async throws {
        let events = payloads.map {
            TopicEvent(
                topic: Topic(trusted: $0.topic),
                time: Timestamp(milliseconds: 0),
                payload: Array($0.payload.utf8)
            )
        }
        _ = try await store.commit(Change(events: events))
    }

    func publish(_ totals: Int..., on topic: String = "orders:1") async throws {
        try await publish(totals.map { (topic, #"{"total":\#($0)}"#) })
    }

    /// The last words of the types of all events on a topic, in order, each with the topic that it is about.
    func told(on topic: String) -> [String] {
        publications.withLock { all in
            all.filter { $0.topic.name == topic }.compactMap { publication in
                let fields = try? JSONReader.fields(of: publication.payload[...])
                func text(_ name: String) -> String {
                    fields?.first { $0.key == name }.flatMap { JSONReader.string($0.value) } ?? "-"
                }
                return "\(text("subject")) \(text("type").split(separator: ".").last ?? "")"
            }
        }
    }

    func passedOver(_ reason: String, of owner: String = "operator") async throws -> Double? {
        try await metrics.registry.exposition()
            .value("hub_alert_passed_over_total", ["reason": reason, "owner": owner])
    }
}

/// Numbers from a seed.
private struct Chance {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % count
    }
}

@Suite("Alerts of any topic: a follower that is killed", .timeLimit(.minutes(10)))
struct FollowerCrashTests {
    private func rule(owner: String? = nil) throws -> AlertRule {
        try AlertRule(
            name: "large",
            topics: "orders:*",
            when: AlertExpression("total >= 100"),
            severity: .info,
            owner: owner
        )
    }

    private let large = #"{"name":"large","topics":"orders:*","when":"total >= 100"}"#

    /// A kill between any two steps, and between a commit and the follower's notice of it. A step is a computation
    /// and one commit, and the store makes a commit wholly or not at all.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func everyAlertIsRaisedAndClearedOnceWheneverItIsKilled(seed: UInt64) async throws {
        try await withTemporaryStore { store in
            let rules = [try rule(), try rule(owner: "kari"), try rule(owner: "ola")]
            let lives = FollowerLives(store, rules: rules)
            try await lives.start()
            var chance = Chance(seed: seed)
            var totals: [String: [Int]] = [:]
            var kills = 0
            for _ in 0..<80 {
                switch chance.below(10) {
                case 0..<5:
                    // Of these some are committed by a process that does not live to notice them.
                    let isLast = chance.below(8) == 0
                    if isLast { lives.kill() }
                    let payloads = (0...chance.below(3)).map { _ in
                        let topic = "orders:\(chance.below(3))"
                        let total = [1, 99, 100, 500][chance.below(4)]
                        totals[topic, default: []].append(total)
                        return (topic, #"{"total":\#(total)}"#)
                    }
                    try await lives.publish(payloads)
                    if isLast { try await lives.start() }
                    kills += isLast ? 1 : 0
                case 5..<7: _ = await lives.follower?.stepOperators()
                case 7: _ = await lives.follower?.stepUsers()
                case 8: await lives.follower?.noteRules()
                default:
                    lives.kill()
                    try await lives.start()
                    kills += 1
                }
            }
            await lives.follower?.catchUp()
            expect(kills > 3, "seed \(seed)")
            for (topic, totals) in totals {
                let expected = crossings(totals).map { "\(topic) \($0)" }
                expectEqual(lives.told(on: topic + ":alerts"), expected, "seed \(seed)")
                for user in ["kari", "ola"] {
                    let told = lives.told(on: "alerts:" + user)
                        .filter { $0.hasPrefix(topic + " ") }
                    expectEqual(told, expected, "seed \(seed): \(user)")
                }
            }
            for reason in AlertCounts.PassedOver.allCases {
                for owner in ["operator", "user"] {
                    try await expectEqual(lives.passedOver(reason.rawValue, of: owner), 0)
                }
            }
        }
    }

    private func crossings(_ totals: [Int]) -> [String] {
        var isRaised = false
        return totals.compactMap { total in
            guard (total >= 100) != isRaised else { return nil }
            isRaised.toggle()
            return isRaised ? "raised" : "cleared"
        }
    }

    // MARK: The first rule

    @Test(arguments: [nil, "kari"])
    func firstRuleEvaluatesWhatIsPublishedAfterItAlsoIfItIsKilledAtOnce(owner: String?)
        async throws
    {
        try await withTemporaryStore { store in
            let lives = FollowerLives(store)
            try await lives.start()
            try await lives.publish(500)
            try await lives.make(large, owner: owner)
            try await lives.publish(1, 150)
            lives.kill()
            try await lives.start()
            await lives.follower?.catchUp()
            let topic = owner.map { "alerts:" + $0 } ?? "orders:1:alerts"
            // Not what was published before there was a rule.
            expectEqual(lives.told(on: topic), ["orders:1 raised"])
        }
    }

    @Test func configuredRuleEvaluatesWhatIsPublishedAfterTheStartAlsoIfItIsKilledAtOnce()
        async throws
    {
        try await withTemporaryStore { store in
            let lives = FollowerLives(store, rules: [try rule(), try rule(owner: "kari")])
            try await lives.start()
            try await lives.publish(150)
            lives.kill()
            try await lives.start()
            await lives.follower?.catchUp()
            expectEqual(lives.told(on: "orders:1:alerts"), ["orders:1 raised"])
            expectEqual(lives.told(on: "alerts:kari"), ["orders:1 raised"])
        }
    }

    @Test func ruleOfADomainLeavesNoCursor() async throws {
        try await withTemporaryStore { store in
            let lives = FollowerLives(store)
            try await lives.start()
            try await lives.make(#"{"name":"a","topics":"radar:*","when":"score > 1"}"#)
            try await expectEqual(store.state(domain: FollowedTopics.cursorDomain), [])
            try await lives.make(large)
            try await expectEqual(store.state(domain: FollowedTopics.cursorDomain).count, 1)
        }
    }

    @Test func newConfiguredRuleEvaluatesNothingThatWasPublishedBeforeTheStart() async throws {
        try await withTemporaryStore { store in
            let lives = FollowerLives(
                store,
                rules: [try rule(), try rule(owner: "kari")],
                history: 2
            )
            try await lives.start()
            try await lives.publish(1)
            try await lives.publish(150, 1, 150, on: "news:1")
            try await lives.stop()
            let more = try ["kari", nil].map { owner in
                try AlertRule(
                    name: "news",
                    topics: "news:*",
                    when: AlertExpression("total >= 100"),
                    severity: .info,
                    owner: owner
                )
            }
            try await lives.start(more: more)
            await lives.follower?.catchUp()
            expectEqual(lives.told(on: "news:1:alerts"), [])
            expectEqual(lives.told(on: "alerts:kari"), [])
            try await expectEqual(lives.passedOver("trimmed"), 0)
            try await lives.publish(150, on: "news:1")
            await lives.follower?.catchUp()
            expectEqual(lives.told(on: "news:1:alerts"), ["news:1 raised"])
            expectEqual(lives.told(on: "alerts:kari"), ["news:1 raised"])
        }
    }

    // MARK: What cannot be evaluated any more

    @Test func publicationsThatTheHistoryDoesNotReachBackToAreCountedOnceForEachTopic()
        async throws
    {
        try await withTemporaryStore { store in
            let lives = FollowerLives(
                store,
                rules: [try rule(), try rule(owner: "kari"), try rule(owner: "ola")],
                history: 2
            )
            try await lives.start()
            try await lives.publish(1)
            await lives.follower?.catchUp()
            // Evaluated by nobody; only the last two of a topic are loaded.
            lives.kill()
            try await lives.publish(150, 1, 150, 1)
            try await lives.publish(1, 150, on: "orders:2")
            try await lives.publish(1, 1, 1, on: "news:1")
            try await lives.start()
            await lives.follower?.catchUp()
            try await expectEqual(lives.passedOver("trimmed"), 1)
            try await expectEqual(lives.passedOver("trimmed", of: "user"), 1)
            try await expectEqual(lives.passedOver("unreadable"), 0)
            expectEqual(lives.told(on: "orders:1:alerts"), ["orders:1 raised", "orders:1 cleared"])
            // Each is counted once, not by every process from then on.
            lives.kill()
            try await lives.start()
            try await expectEqual(lives.passedOver("trimmed"), 1)
        }
    }

    @Test(arguments: [
        "[1]", "7", #""total""#, #"{"total":"#, #"{"specversion":"1.0","data":[1]}"#,
    ])
    func payloadThatIsNotAnObjectIsCountedAsUnreadable(payload: String) async throws {
        try await withTemporaryStore { store in
            let lives = FollowerLives(store, rules: [try rule(), try rule(owner: "kari")])
            try await lives.start()
            try await lives.publish([("orders:1", payload), ("news:1", payload)])
            try await lives.publish(150)
            await lives.follower?.catchUp()
            try await expectEqual(lives.passedOver("unreadable"), 1)
            try await expectEqual(lives.passedOver("unreadable", of: "user"), 1)
            expectEqual(lives.told(on: "orders:1:alerts"), ["orders:1 raised"])
        }
    }

    @Test func orderlyEndEvaluatesWhatStillWaits() async throws {
        try await withTemporaryStore { store in
            let lives = FollowerLives(store, rules: [try rule(), try rule(owner: "kari")])
            try await lives.start()
            try await lives.publish(150)
            try await lives.stop()
            expectEqual(lives.told(on: "orders:1:alerts"), ["orders:1 raised"])
            expectEqual(lives.told(on: "alerts:kari"), ["orders:1 raised"])
        }
    }
}

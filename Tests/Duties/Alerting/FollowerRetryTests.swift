import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting
import Service
import StoreTesting

@testable import Duties

/// A follower of a store whose transactions can fail.
private struct FailingHub {
    static let topics = ["orders:1:alerts", "alerts:kari"]

    let store: HubStore
    let commits: FailingCommits
    let budget = MemoryBudget()
    let metrics = DomainMetrics()
    let follower: TopicAlertsFollower
    let log: AsyncStream<StreamedLog.Line>
    private let alerts: AsyncStream<Void>

    /// - Parameter owners: of one rule each.
    init(
        _ store: HubStore,
        _ commits: FailingCommits,
        limits: TopicAlertsFollower.Limits,
        owners: [String?]
    ) throws {
        (self.store, self.commits) = (store, commits)
        let book = AlertBook(
            configured: try owners.map { owner in
                let rule = try AlertRule(
                    name: "large",
                    topics: "orders:*",
                    when: AlertExpression("total >= 100"),
                    severity: .info,
                    owner: owner
                )
                return (Configuration.Alert(), rule)
            },
            namespaces: NamespaceRules([Configuration.Namespace("orders")])
        )
        let (logger, log) = StreamedLog.make()
        self.log = log
        let follower = TopicAlertsFollower(
            book: book,
            owned: [],
            restored: AlertHoldings(),
            store: store,
            clock: HubClock(.wall),
            outbox: OutboxRouter(endpoints: [], wake: {}),
            metrics: metrics,
            budget: budget,
            limits: limits,
            logger: logger
        )
        self.follower = follower
        let (alerts, published) = AsyncStream<Void>.makeStream()
        self.alerts = alerts
        store.observe(\.committed) { publications in
            follower.note(publications)
            if publications.contains(where: { $0.topic.isForAlerts }) {
                published.yield()
            }
        }
    }

    /// One commit, with a publication for each total.
    func publish(_ totals: Int...) async throws {
        let events = totals.map {
            TopicEvent(
                topic: Topic(trusted: "orders:1"),
                time: Timestamp(milliseconds: 0),
                payload: Array(#"{"total":\#($0)}"#.utf8)
            )
        }
        _ = try await store.commit(Change(events: events))
    }

    /// Does the work in which a transaction of the follower fails.
    func catchUp(failing code: StoreError.Code, times: Int = .max) async {
        await catchUp(failing: .code(code), times: times)
    }

    func catchUp(failing failure: FailingCommits.Failure, times: Int = .max) async {
        commits.fail(failure, times: times)
        await follower.catchUp()
        commits.fail(nil)
    }

    func untilAnAlert() async {
        _ = await alerts.first { _ in true }
    }

    /// The types of the alerts of a topic that are stored, in order.
    func published(on topic: String = FailingHub.topics[0]) async throws -> [String] {
        let stored = try await store.history(of: Topic(trusted: topic), count: 1000)
        return (stored?.publications ?? []).map { publication in
            let fields = try? JSONReader.fields(of: publication.payload[...])
            let type = fields?.first { $0.key == "type" }.flatMap { JSONReader.string($0.value) }
            return type.map { String($0.split(separator: ".").last ?? "") } ?? ""
        }
    }

    func passedOver(_ reason: String, of owner: String = "operator") async throws -> Double? {
        try await metrics.registry.exposition()
            .value("hub_alert_passed_over_total", ["reason": reason, "owner": owner])
    }

    /// The bytes that the follower holds, counted without the budget.
    var bytes: Int {
        follower.waiting.withLock(\.bytes) + follower.work.withLock(\.users.bytes)
            + follower.alerts.withLock(\.bytes)
    }

    var held: Int { budget.held(for: .alerts) }
}

private func withFailingHub(
    waitingMax: Int = 1 << 16,
    retryPause: Duration = .seconds(3600),
    owners: [String?] = [nil, "kari"],
    _ body: (FailingHub) async throws -> Void
) async throws {
    let commits = FailingCommits()
    try await withTemporaryStore(commits: commits) { store in
        let hub = try FailingHub(
            store,
            commits,
            limits: TopicAlertsFollower.Limits(waitingMax: waitingMax, retryPause: retryPause),
            owners: owners
        )
        // The rows of the rules themselves.
        await hub.follower.catchUp()
        try await body(hub)
    }
}

@Suite("Alerts of any topic: commits that fail", .timeLimit(.minutes(10)))
struct FollowerRetryTests {
    @Test(
        arguments: [
            StoreError.Code.cannotOpen, .readOnly, .locked, .diskFull, .gone, .ioFailed,
            .notLeading, .queueFull, .closed, .other,
        ]
    )
    func publicationsWaitUntilTheStoreTakesTheirAlerts(code: StoreError.Code) async throws {
        try await withFailingHub { hub in
            try await hub.publish(150, 1)
            for _ in 0..<3 { await hub.catchUp(failing: code) }
            expectEqual(hub.commits.failed, 3, "one for each time")
            await hub.follower.catchUp()
            for topic in FailingHub.topics {
                try await expectEqual(hub.published(on: topic), ["raised", "cleared"])
            }
            for owner in ["operator", "user"] {
                try await expectEqual(hub.passedOver("store", of: owner), 0)
                try await expectEqual(hub.passedOver("waiting", of: owner), 0)
            }
        }
    }

    @Test(
        arguments: [
            StoreError.Code.constraint, .notFound, .changeTooBig, .corrupt, .tooManyTopics,
        ]
    )
    func changeThatTheStoreNeverTakesIsCountedAndHoldsUpNothing(
        code: StoreError.Code
    ) async throws {
        try await withFailingHub { hub in
            try await hub.publish(150, 150, 1)
            await hub.catchUp(failing: code)
            for owner in ["operator", "user"] {
                try await expectEqual(hub.passedOver("store", of: owner), 3)
            }
            let metrics = try await hub.metrics.registry.exposition()
            expectEqual(metrics["hub_alerts_active"]?.samples, [], "nothing is kept of it")
            expectEqual(metrics["hub_alert_transitions_total"]?.samples, [])
            try await hub.publish(150)
            await hub.follower.catchUp()
            for topic in FailingHub.topics {
                try await expectEqual(hub.published(on: topic), ["raised"])
            }
            expectEqual(hub.held, hub.bytes)
        }
    }

    @Test func laterPublicationsAreEvaluatedBehindThoseThatWait() async throws {
        try await withFailingHub { hub in
            try await hub.publish(150, 1)
            await hub.catchUp(failing: .cannotOpen)
            try await hub.publish(150, 1)
            await hub.catchUp(failing: .diskFull)
            try await hub.publish(150)
            await hub.follower.catchUp()
            let all = ["raised", "cleared", "raised", "cleared", "raised"]
            for topic in FailingHub.topics { try await expectEqual(hub.published(on: topic), all) }
        }
    }

    @Test func usersTurnsWaitLikeTheOperators() async throws {
        try await withFailingHub(owners: ["kari", "ola"]) { hub in
            try await hub.publish(150, 1)
            await hub.catchUp(failing: .cannotOpen)
            try await hub.publish(150)
            await hub.follower.catchUp()
            for topic in ["alerts:kari", "alerts:ola"] {
                try await expectEqual(hub.published(on: topic), ["raised", "cleared", "raised"])
            }
            try await expectEqual(hub.passedOver("store", of: "user"), 0)
        }
    }

    @Test func pastTheBoundTheOldestThatWaitAgainArePassedOver() async throws {
        try await withFailingHub(waitingMax: 4, owners: [nil]) { hub in
            try await hub.publish(150, 1, 150, 1)
            await hub.catchUp(failing: .cannotOpen)
            try await expectEqual(hub.passedOver("waiting"), 0)
            try await hub.publish(150, 1)
            await hub.follower.catchUp()
            try await expectEqual(hub.passedOver("waiting"), 2)
            try await expectEqual(hub.passedOver("store"), 0)
            let left = ["raised", "cleared", "raised", "cleared"]
            try await expectEqual(hub.published(), left)
        }
    }

    @Test func memoryOfPublicationsThatWaitAgainIsCounted() async throws {
        try await withFailingHub { hub in
            try await hub.publish(150, 1)
            for _ in 0..<2 { await hub.catchUp(failing: .cannotOpen) }
            expectEqual(hub.held, hub.bytes)
            expectEqual(hub.follower.waiting.withLock(\.operators.count), 2)
            // The user's step did not begin.
            expectEqual(hub.follower.waiting.withLock(\.arrived.count), 2)
            try await hub.publish(150)
            await hub.follower.catchUp()
            expectEqual(hub.held, hub.bytes)
            expectEqual(hub.held, 2 * AlertBoards.placeBytes, "a place for each owner")
            hub.follower.release()
            expectEqual(hub.held, 0)
        }
    }

    @Test func memoryOfUsersTurnsThatWaitAgainIsCounted() async throws {
        try await withFailingHub(owners: ["kari", "ola"]) { hub in
            try await hub.publish(150, 1)
            for _ in 0..<2 { await hub.catchUp(failing: .cannotOpen) }
            expectEqual(hub.held, hub.bytes)
            expectEqual(hub.follower.work.withLock(\.users.count), 2)
            hub.follower.release()
            expectEqual(hub.held, 0)
        }
    }

    @Test func cursorsStayBeforePublicationsThatWaitAgain() async throws {
        try await withFailingHub { hub in
            try await hub.publish(1)
            await hub.follower.catchUp()
            let rows = try await hub.store.state(domain: FollowedTopics.cursorDomain)
            expectEqual(rows.count, 3)
            try await hub.publish(150)
            await hub.catchUp(failing: .cannotOpen)
            hub.follower.takeUpAgain()
            await hub.follower.storeCursors()
            try await expectEqual(hub.store.state(domain: FollowedTopics.cursorDomain), rows)
        }
    }

    // MARK: The task

    @Test func taskTriesAgainWithoutAnotherPublication() async throws {
        try await withFailingHub(retryPause: .milliseconds(1)) { hub in
            try await hub.publish(150)
            hub.commits.fail(.code(.cannotOpen), times: 3)
            let task = Task { await hub.follower.run() }
            await hub.untilAnAlert()
            task.cancel()
            await task.value
            expectEqual(hub.commits.failed, 3)
            for topic in FailingHub.topics {
                try await expectEqual(hub.published(on: topic), ["raised"])
            }
        }
    }

    /// The pause is an hour. New publications do not shorten it, and the end does.
    @Test func taskPausesAndItsEndTriesOnce() async throws {
        try await withFailingHub { hub in
            try await hub.publish(150)
            let publications = try await require(
                hub.store.history(of: Topic(trusted: "orders:1"), count: 1)
            ).publications
            let before = try await hub.store.state(domain: FollowedTopics.cursorDomain)
            hub.commits.fail(.code(.cannotOpen))
            let task = Task { await hub.follower.run() }
            await hub.commits.untilFailed()
            for _ in 0..<100 {
                hub.follower.note(publications)
                await Task.yield()
            }
            task.cancel()
            await task.value
            expectEqual(hub.commits.failed, 2)
            let rows = try await hub.store.state(domain: FollowedTopics.cursorDomain)
            expectEqual(rows, before, "the next start evaluates it")
        }
    }

    @Test func failureThatLastsIsLoggedOnce() async throws {
        try await withFailingHub(owners: [nil]) { hub in
            try await hub.publish(150)
            for _ in 0..<3 { await hub.catchUp(failing: .cannotOpen) }
            await hub.catchUp(failing: .diskFull)
            await hub.follower.catchUp()
            try await hub.publish(1)
            await hub.catchUp(failing: .diskFull)
            await hub.follower.catchUp()
            try await hub.publish(150)
            await hub.catchUp(failing: .constraint)
            var failures: [String] = []
            for await line in hub.log {
                if line.level == .warning { break }
                if line.level == .error { failures.append("\(line.metadata["err"] ?? "")") }
            }
            let codes = ["cannotOpen", "diskFull", "diskFull", "constraint"]
            expectEqual(failures, codes.map { "test: \($0)" })
        }
    }

    // MARK: Unknown outcomes

    @Test(arguments: [true, false], [[nil, "kari"], ["kari"]] as [[String?]])
    func alertOfAnUnknownCommitIsRaisedOnce(isStored: Bool, owners: [String?]) async throws {
        try await withFailingHub(owners: owners) { hub in
            try await hub.publish(150)
            await hub.catchUp(failing: .unknownFate(isStored: isStored), times: 1)
            expectEqual(hub.commits.failed, 1)
            expectEqual(hub.held, hub.bytes)
            await hub.follower.catchUp()
            expectEqual(hub.held, hub.bytes)
            try await hub.publish(1, 150)
            await hub.follower.catchUp()
            for owner in owners {
                let topic = owner.map { "alerts:\($0)" } ?? FailingHub.topics[0]
                let all = ["raised", "cleared", "raised"]
                try await expectEqual(hub.published(on: topic), all)
            }
            for reason in ["store", "waiting"] {
                try await expectEqual(hub.passedOver(reason), 0)
                try await expectEqual(hub.passedOver(reason, of: "user"), 0)
            }
        }
    }

    @Test(arguments: [true, false])
    func nothingIsCommittedBeforeTheOutcomeIsKnown(isStored: Bool) async throws {
        try await withFailingHub { hub in
            try await hub.publish(150)
            hub.commits.setSilent(true)
            hub.commits.fail(.unknownFate(isStored: isStored), times: 1)
            let work = Task { await hub.follower.catchUp() }
            await hub.commits.untilFailed()
            let error = await #expect(throws: StoreError.self) { try await hub.publish(1) }
            expectEqual(error?.code, .cannotOpen)
            expectEqual(hub.commits.failed, 1)
            hub.commits.setSilent(false)
            await work.value
            try await hub.publish(1)
            await hub.follower.catchUp()
            for topic in FailingHub.topics {
                try await expectEqual(hub.published(on: topic), ["raised", "cleared"])
            }
        }
    }
}

import Activity
import Duties
import Expectations
import HubTesting
import LoopTesting
import StoreTesting

@testable import ActivityApp

@Suite("Film app: alerts that quote what is deleted", .timeLimit(.minutes(10)))
struct AlertErasureTests {
    /// What takes an act of the person 1 out of the feed of the person 2.
    enum Ending: CaseIterable {
        case ratingDeleted, friendshipEnded, blocked, accountDeleted
    }

    private static let feed = activityTopic(2)
    private static let ofOperator = Topic(trusted: "activity:2:alerts")
    private static let ofUser = Topic(trusted: "alerts:2")

    private static func rule(_ name: String, owner: String? = nil) throws -> AlertRule {
        try AlertRule(
            name: name,
            topics: "activity:*",
            when: AlertExpression(#"rating >= 4 and user_name != "" "#),
            severity: .info,
            owner: owner
        )
    }

    /// Person 1 has the friends 2 and 3, who are friends, too; the operator and person 2 have a rule, and an
    /// endpoint hears of alerts.
    private func withApp(
        commits: FailingCommits? = nil,
        _ body: (FilmAppHub) async throws -> Void
    ) async throws {
        let endpoint = WebhookEndpoint(
            name: "pager",
            url: "http://127.0.0.1:9/",
            secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
            filter: try WebhookFilter(types: ["activity.alert.*"]),
            timeout: .seconds(60)
        )
        let rules = [try Self.rule("liked"), try Self.rule("mine", owner: "2")]
        try await FilmAppHub.run(
            people: 3,
            films: 2,
            endpoints: [endpoint],
            rules: rules,
            commits: commits
        ) { hub in
            try await hub.befriend(1, [2, 3])
            try await hub.befriend(2, [3])
            try await body(hub)
        }
    }

    private func end(_ ending: Ending, _ hub: FilmAppHub) async throws {
        switch ending {
        case .ratingDeleted: try await hub.service.unrate(1, by: 1)
        case .friendshipEnded: _ = try await hub.service.unfriend(2, by: 1)
        case .blocked: _ = try await hub.service.block(1, by: 2)
        case .accountDeleted: try await hub.service.deleteAccount(1)
        }
        try await hub.carryOutChores()
    }

    private func history(_ topic: Topic, _ hub: FilmAppHub) async throws -> [Publication] {
        try await hub.store.history(of: topic, count: 99)?.publications ?? []
    }

    private func waiting(_ hub: FilmAppHub) async throws -> [String?] {
        try await hub.store.pendingDeliveries(perEndpoint: 99, of: ["pager"]).map(\.subject)
    }

    private func notes(_ hub: FilmAppHub) async throws -> Int {
        try await hub.store.state(domain: ErasedQuotes.domain, limit: 99).count
    }

    @Test(arguments: Ending.allCases)
    func alertGoesInTheTransactionThatErasesTheActItQuotes(ending: Ending) async throws {
        try await withApp { hub in
            try await hub.rate(1, 5, by: 1)
            await hub.follower.catchUp()
            let told = try await history(Self.ofOperator, hub)
            expectEqual(told.map(\.tags), [["activity": "1", "actor": "1"]])
            try await expectEqual(history(Self.ofUser, hub).map(\.tags), told.map(\.tags))
            try await expectEqual(waiting(hub), ["activity:2", "activity:3"])
            try await end(ending, hub)
            try await expectEqual(history(Self.ofOperator, hub), [])
            try await expectEqual(history(Self.ofUser, hub), [])
            let isGone = [.ratingDeleted, .accountDeleted].contains(ending)
            let others: [String?] = isGone ? [] : ["activity:3"]
            try await expectEqual(waiting(hub), others)
        }
    }

    @Test(arguments: Ending.allCases)
    func rulesKnowNothingOfAnErasedActAndTheAlertIsOver(ending: Ending) async throws {
        try await withApp { hub in
            try await hub.rate(1, 5, by: 1)
            await hub.follower.catchUp()
            try await end(ending, hub)
            try await expect(notes(hub) > 0)
            await hub.follower.catchUp()
            try await expectEqual(notes(hub), 0)
            for topic in [Self.ofOperator, Self.ofUser] {
                let left = try await history(topic, hub)
                expectEqual(left.count, 1)
                let text = String(decoding: left.first?.payload ?? [], as: UTF8.self)
                expect(text.contains(#""activity.alert.cleared""#))
                expect(text.contains(#""values":{"rating":null,"user_name":null}"#), "\(text)")
                expectEqual(left.first?.tags, [:])
            }
            let rows = try await hub.store.state(domain: FollowedTopics.domain, limit: 9)
            let known = rows.first { $0.key == Self.feed.name }
            expectEqual(known?.value, Array("{}".utf8))
        }
    }

    /// The act waits again, because the store did not take its alert, and is erased meanwhile.
    @Test(arguments: Ending.allCases)
    func actThatWaitsAgainIsErasedBeforeItIsEvaluated(ending: Ending) async throws {
        try await withApp { hub in
            try await hub.rate(1, 5, by: 1)
            try await hub.store.setQueryOnly(true)
            await hub.follower.catchUp()
            expect(hub.follower.waiting.withLock(\.operators.count) > 0)
            try await hub.store.setQueryOnly(false)
            try await end(ending, hub)
            await hub.follower.catchUp()
            for topic in [Self.ofOperator, Self.ofUser] {
                try await expectEqual(history(topic, hub), [])
            }
        }
    }

    /// The follower does not know whether the store has its own part of the erasure.
    @Test(arguments: [true, false])
    func actWhoseErasureIsUncertainIsNotEvaluated(isStored: Bool) async throws {
        let commits = FailingCommits()
        try await withApp(commits: commits) { hub in
            await hub.follower.catchUp()
            try await hub.rate(1, 5, by: 1)
            try await end(.ratingDeleted, hub)
            commits.fail(.unknownFate(isStored: isStored), times: 1)
            await hub.follower.catchUp()
            expectEqual(commits.failed, 1)
            await hub.follower.catchUp()
            try await expectEqual(notes(hub), 0)
            for topic in [Self.ofOperator, Self.ofUser] {
                try await expectEqual(history(topic, hub), [])
            }
        }
    }

    @Test func anotherActsAlertStays() async throws {
        try await withApp { hub in
            try await hub.rate(1, 5, by: 1)
            try await hub.rate(1, 4, by: 3)
            await hub.follower.catchUp()
            try await hub.rate(2, 1, by: 3)
            await hub.follower.catchUp()
            try await hub.rate(2, 5, by: 3)
            await hub.follower.catchUp()
            let acts = try await history(Self.ofUser, hub).map { $0.tags["activity"] }
            expectEqual(acts, ["1", "3", "4"], "raised, cleared, raised")
            try await hub.service.unrate(1, by: 1)
            await hub.follower.catchUp()
            try await expectEqual(
                history(Self.ofUser, hub).map { $0.tags["activity"] },
                ["3", "4"]
            )
        }
    }

    @Test(arguments: Ending.allCases)
    func actThatIsErasedBeforeARuleLooksAtItRaisesNothing(ending: Ending) async throws {
        try await withApp { hub in
            try await hub.rate(1, 5, by: 1)
            try await end(ending, hub)
            await hub.follower.catchUp()
            try await expectEqual(history(Self.ofOperator, hub), [])
            try await expectEqual(history(Self.ofUser, hub), [])
        }
    }

    /// As when the follower had looked at the act before it was erased, and was slower with its commit.
    @Test func alertThatIsCommittedBehindTheErasureIsErasedNext() async throws {
        try await withApp { hub in
            try await hub.rate(1, 5, by: 1)
            try await hub.service.unrate(1, by: 1)
            let tags = ["activity": "1", "actor": "1"]
            let events = [Self.ofOperator, Self.ofUser].map {
                TopicEvent(topic: $0, time: FilmAppHub.start, payload: [], tags: tags)
            }
            _ = try await hub.store.commit(Change(events: events))
            await hub.follower.catchUp()
            try await expectEqual(history(Self.ofOperator, hub), [])
            try await expectEqual(history(Self.ofUser, hub), [])
        }
    }

    @Test func accountThatIsDeletedTakesItsAlertsAlong() async throws {
        try await withApp { hub in
            try await hub.rate(1, 5, by: 1)
            await hub.follower.catchUp()
            try await hub.service.deleteAccount(2)
            try await expectEqual(history(Self.ofOperator, hub), [])
            try await expectEqual(history(Self.ofUser, hub), [])
            try await hub.carryOutChores()
            await hub.follower.catchUp()
            try await expectEqual(notes(hub), 0)
            try await expectEqual(history(Self.ofUser, hub), [])
            let rows = try await hub.store.state(domain: FollowedTopics.domain, limit: 9)
            expectEqual(rows.map(\.key), ["activity:3"])
            try await expectEqual(hub.store.alertStates().map(\.subject), ["topic:activity:3"])
        }
    }

    @Test func hubWithoutRulesLeavesNoNotes() async throws {
        try await FilmAppHub.run(people: 2) { hub in
            try await hub.befriend(1, [2])
            try await hub.rate(1, 5, by: 1)
            try await hub.service.unrate(1, by: 1)
            try await expectEqual(notes(hub), 0)
        }
    }

    @Test func noteIsReadAsItWasWritten() throws {
        let feed = Self.feed
        let feeds = ActivityQuotes()
        let erasure = try require(
            ErasedQuotes(Erasure(topic: feed, tag: "actor", value: "17"), feeds)
        )
        expectEqual(ErasedQuotes(erasure.row, feeds), erasure)
        expect(erasure.covers(["actor": "17", "activity": "1"]))
        expect(!erasure.covers(["actor": "18"]))
        let whole = try require(ErasedQuotes(removed: feed, feeds))
        expectEqual(ErasedQuotes(whole.row, feeds), whole)
        expect(whole.covers(["actor": "18"]))
        for other in ["activity:0", "activity:2:alerts", "watching:2", "orders:2"] {
            expectNil(ErasedQuotes(removed: Topic(trusted: other), feeds))
        }
    }
}

import Activity
import Configuration
import ConfigurationTesting
import Expectations
import LoopTesting
import Loops
import Service
import TokenTesting

@testable import ActivityApp

/// Person 1 and person 2 are friends; nobody else is.
private let friends = FriendDirectory { Set([$0, $1]) == [1, 2] }

@Suite("Topics of the film app's people", .timeLimit(.minutes(10)))
struct PersonTopicTests {
    private let rules = NamespaceRules([.activity, .watching], friends: friends)

    private func decision(_ name: String, _ user: String, isGranted: Bool = false) -> AccessDecision
    {
        rules.subscribe(to: topic(name), by: Identity(user: user), isGranted: isGranted)
    }

    @Test func topicAndPersonAreOneToOne() throws {
        expectEqual(Topic.activity(of: 42).name, "activity:42")
        expectEqual(Topic.watching(of: 42).name, "watching:42")
        expectEqual(PersonTopic(.activity(of: 42)), PersonTopic(.activity, of: 42))
        expectEqual(PersonTopic(.watching(of: .max)), PersonTopic(.watching, of: .max))
        for name in [
            "activity", "activity:", "activity:0", "activity:-1", "activity:+1", "activity:01",
            "activity:1:2", "activity:a", "activity:9223372036854775808", "news:1", "Activity:1",
        ] {
            expectNil(PersonTopic(topic(name)), "\(name)")
        }
    }

    @Test(
        arguments: [
            ("activity:1", "1", true), ("activity:1", "2", false), ("activity:1", "3", false),
            ("activity:1", "", false), ("activity:1", "01", false), ("activity:01", "1", false),
            ("activity:1", "\u{661}", false), ("activity:1", "1\u{301}", false),
            ("watching:1", "1", true), ("watching:1", "2", true), ("watching:2", "1", true),
            ("watching:1", "3", false), ("watching:3", "1", false), ("watching:1", "", false),
            ("activity:1:alerts", "1", true), ("activity:1:alerts", "2", false),
            ("watching:1:alerts", "1", false), ("activity:1:other", "1", false),
            ("watching:3", "3", true), ("watching:x", "1", false), ("activity", "1", false),
        ]
    )
    func ownersReadAndOfWatchingTheirFriends(name: String, user: String, mayRead: Bool) {
        let expected: AccessDecision = mayRead ? .allowed : .unknown
        expectEqual(decision(name, user), expected)
        // A token that names the topic opens no more.
        expectEqual(decision(name, user, isGranted: true), expected)
    }

    @Test func nobodyPublishesAndWhoMayNotReadLearnsNothing() {
        for name in ["activity:1", "watching:1"] {
            for action in ClientAction.allCases {
                let stranger = rules.decide(
                    action,
                    on: topic(name),
                    by: Identity(user: "3"),
                    isSubscribed: false
                )
                expectEqual(stranger, .unknown, "\(name) \(action)")
            }
            let owner = rules.decide(
                .publish,
                on: topic(name),
                by: Identity(user: "1"),
                isSubscribed: true
            )
            expectEqual(owner, .denied(.nobody))
        }
    }

    @Test func configuredNamespaceChangesNoRights() {
        let open = Configuration.Namespace("activity") {
            $0.anonymousSubscribe = true
            $0.publish = .anyone
        }
        let rules = NamespaceRules([open], friends: friends)
        expectEqual(
            rules.subscribe(to: topic("activity:1"), by: Identity(user: "2"), isGranted: false),
            .unknown
        )
        let without = NamespaceRules([open])
        expectEqual(
            without.subscribe(to: topic("activity:x"), by: .anonymous, isGranted: false),
            .allowed
        )
    }

    @Test func personAloneIsSeenInTheirTopic() {
        expect(rules.isSeen(Identity(user: "1"), in: .watching(of: 1)))
        expect(!rules.isSeen(Identity(user: "2"), in: .watching(of: 1)))
        expect(rules.isSeen(Identity(user: "2"), in: topic("other:1")))
    }
}

@Suite("Loop: who watches something", .timeLimit(.minutes(10)))
struct WatchingTests {
    private static let joinLeave = #","join_leave":true"#
    private static let presence = #"{"id":9,"presence":{"channel":"watching:1"}}"#

    private func withPeople(
        _ friends: FriendDirectory,
        _ body: (LoopFixture, _ client: (String) async throws -> LoopTestClient) async throws ->
            Void
    ) async throws {
        let tokens = try await TestTokens()
        try await withLoops(
            loops: 2,
            namespaces: [.activity, .watching],
            topicRules: [
                "activity": ActivityTopicRules(friends: friends),
                "watching": ActivityTopicRules(friends: friends),
            ],
            verifier: tokens.verifier
        ) { hub in
            try await body(hub) { user in
                let client = try hub.connect()
                _ = try await client.connectSession(token: try tokens.connection(user))
                return client
            }
        }
    }

    @Test func friendSeesThePersonAndNobodyWhoLooks() async throws {
        let everybody = FriendDirectory { _, _ in true }
        try await withPeople(everybody) { _, client in
            let friend = try await client("2")
            _ = try await friend.subscribe(2, "watching:1", Self.joinLeave)
            let other = try await client("3")
            _ = try await other.subscribe(2, "watching:1", Self.joinLeave)
            try await expectEqual(friend.command(Self.presence).contains("user"), false)
            let person = try await client("1")
            try await person.sendText(#"{"id":2,"subscribe":{"channel":"watching:1"}}"#)
            _ = try await person.receiveText()
            for reader in [friend, other] {
                let join = try await reader.receiveText()
                expect(join.contains(#""join":{"info":{"user":"1""#), "\(join)")
            }
            let present = try await friend.command(Self.presence)
            expect(present.contains(#""user":"1""#))
            expect(!present.contains(#""user":"2""#) && !present.contains(#""user":"3""#))
            _ = try await person.command(#"{"id":3,"unsubscribe":{"channel":"watching:1"}}"#)
            let leave = try await friend.receiveText()
            expect(leave.contains(#""leave":{"info":{"user":"1""#), "\(leave)")
        }
    }

    @Test func friendshipThatEndsEndsTheLook() async throws {
        let areFriends = Locked(true)
        let directory = FriendDirectory { _, _ in areFriends.withLock { $0 } }
        try await withPeople(directory) { hub, client in
            let friend = try await client("2")
            _ = try await friend.subscribe(2, "watching:1")
            let third = try await client("3")
            _ = try await third.subscribe(2, "watching:1")
            areFriends.withLock { $0 = false }
            await hub.transport.endWatching(between: 1, and: 2)
            let push = try await friend.receiveText()
            expect(push.contains(#""channel":"watching:1","unsubscribe":{"code":2000"#), "\(push)")
            let again = try await friend.subscribe(3, "watching:1")
            expect(again.contains(#""code":102"#))
            try await expectEqual(third.errorCode(Self.presence), 0, "the look of others goes on")
        }
    }

    @Test func activityIsForItsPersonAlone() async throws {
        let everybody = FriendDirectory { _, _ in true }
        try await withPeople(everybody) { hub, client in
            let person = try await client("1")
            try await expect(person.subscribe(2, "activity:1").contains(#""recoverable":true"#))
            let friend = try await client("2")
            try await expect(friend.subscribe(2, "activity:1").contains(#""code":102"#))
            hub.publish("activity:1", #"{"n":1}"#)
            try await expect(person.receiveText().contains(#""data":{"n":1},"offset":1"#))
        }
    }
}

import Expectations
import HubTesting

@testable import Lifecycle

/// The logs in the store, in the transaction of the events.
@Suite("Lifecycle: the logs in the store", .timeLimit(.minutes(10)))
struct LifecycleTablesTests {
    private static let anna = LifecycleSubject.user("anna")

    private static func at(_ seconds: Int) -> Timestamp {
        Timestamp(milliseconds: 1_800_000_000_000 + Int64(seconds) * 1000)
    }

    private func withStore(_ body: (HubStore) async throws -> Void) async throws {
        try await withTemporaryStore(migrations: LifecycleTables.migrations, body)
    }

    /// The numbers that the changes get; nil for a change that the log has.
    private func add(_ changes: [LifecycleChange], to store: HubStore) async throws -> [Int?] {
        try await store.commit(LifecycleTables.self) { tables in
            (Change(), try changes.map { try tables.add($0)?.sequence })
        }
    }

    private func come(_ subject: LifecycleSubject, _ seconds: Int) -> LifecycleChange {
        LifecycleChange(subject, isThere: true, at: Self.at(seconds))
    }

    private func go(_ subject: LifecycleSubject, _ seconds: Int) -> LifecycleChange {
        LifecycleChange(subject, isThere: false, at: Self.at(seconds))
    }

    @Test func aLogCountsItsEvents() async throws {
        try await withStore { store in
            let anna = Self.anna
            let numbers = try await add(
                [come(anna, 0), go(anna, 1), come(anna, 2), go(anna, 3)],
                to: store
            )
            expectEqual(numbers, [1, 2, 3, 4])
            try await expectEqual(add([come(anna, 4)], to: store), [5])
        }
    }

    @Test func anEventThatTheLogEndsWithIsNotAdded() async throws {
        try await withStore { store in
            let anna = Self.anna
            try await expectEqual(add([come(anna, 0), come(anna, 1)], to: store), [1, nil])
            try await expectEqual(add([go(anna, 2)], to: store), [2])
            try await expectEqual(add([go(anna, 3)], to: store), [nil])
        }
    }

    /// A node that was taken for ended reports a user who has been there all the time.
    @Test func noEventIsDatedBeforeTheOneBeforeIt() async throws {
        try await withStore { store in
            let anna = Self.anna
            let changes = [come(anna, 0), go(anna, 60), come(anna, 0)]
            let times = try await store.commit(LifecycleTables.self) { tables in
                (Change(), try changes.map { try tables.add($0)?.time })
            }
            expectEqual(times, [Self.at(0), Self.at(60), Self.at(60)])
        }
    }

    /// The row of an old departure was deleted, or that of a user.
    @Test func aLogBeginsWithAnArrival() async throws {
        try await withStore { store in
            try await expectEqual(add([go(Self.anna, 0)], to: store), [nil])
            let status = try await store.read(LifecycleTables.self) { try $0.status(of: "anna") }
            expect(status == nil)
            try await expectEqual(add([come(Self.anna, 1)], to: store), [1])
        }
    }

    @Test func theLogOfAConnectionEndsWithIt() async throws {
        try await withStore { store in
            let client = LifecycleSubject.client("c1", user: "anna")
            try await expectEqual(add([come(client, 0), go(client, 1)], to: store), [1, 2])
            let rows = try await store.read(LifecycleTables.self) { try $0.rows(of: "anna").count }
            expectEqual(rows, 0)
        }
    }

    /// The node that was cut off may still have it.
    @Test func theLogOfALostConnectionContinues() async throws {
        try await withStore { store in
            let client = LifecycleSubject.client("c1", user: "anna")
            var loss = go(client, 1)
            loss.reason = .lost
            try await expectEqual(
                add([come(client, 0), loss, come(client, 2), loss], to: store),
                [1, 2, 3, 4]
            )
            let early = try await store.deletingInBatches(
                LifecycleTables.deleteLost,
                [Self.at(0).milliseconds]
            )
            expectEqual(early, 0)
            let expired = try await store.deletingInBatches(
                LifecycleTables.deleteExpired,
                [Self.at(9).milliseconds]
            )
            expectEqual(expired, 0, "whatever room others need")
            _ = try await add([come(Self.anna, 0), go(Self.anna, 1)], to: store)
            let count = try await store.deletingInBatches(
                LifecycleTables.deleteLost,
                [Self.at(2).milliseconds]
            )
            expectEqual(count, 1, "not the user's")
        }
    }

    @Test func thoseWhoAreThereAreReadAtAStart() async throws {
        try await withStore { store in
            let present: [LifecycleSubject] = [
                Self.anna, .client("c1", user: "anna"), .client("c2", user: ""),
                .topic("chat:1"), .member("anna", of: "chat:1"),
            ]
            let gone: [LifecycleSubject] = [
                .user("bo"), .topic("chat:2"), .member("bo", of: "chat:1"),
            ]
            _ = try await add(
                present.map { come($0, 0) } + gone.flatMap { [come($0, 0), go($0, 1)] },
                to: store
            )
            let found = try await store.read(LifecycleTables.self) { try $0.present() }
            expectEqual(found.count, present.count)
            expectEqual(Set(found), Set(present))
        }
    }

    @Test func theStateOfAUserIsThatOfTheLog() async throws {
        try await withStore { store in
            _ = try await add(
                [come(Self.anna, 0), come(.member("anna", of: "chat:1"), 5)],
                to: store
            )
            let online = try await store.read(LifecycleTables.self) { try $0.status(of: "anna") }
            expectEqual(online?.isOnline, true)
            _ = try await add([go(Self.anna, 7)], to: store)
            let offline = try await store.read(LifecycleTables.self) { try $0.status(of: "anna") }
            expectEqual(offline?.isOnline, false)
            expectEqual(offline?.changedAt, Self.at(7))
        }
    }

    @Test func oldDeparturesAreDeleted() async throws {
        try await withStore { store in
            let users = ["anna", "bo", "cleo"].map { LifecycleSubject.user($0) }
            _ = try await add(users.map { come($0, 0) }, to: store)
            _ = try await add([go(users[0], 10), go(users[1], 11)], to: store)
            let count = try await store.deletingInBatches(
                LifecycleTables.deleteExpired,
                [Self.at(10).milliseconds]
            )
            expectEqual(count, 1)
            let states = try await store.read(LifecycleTables.self) { tables in
                try ["anna", "bo", "cleo"].map { try tables.status(of: $0)?.isOnline }
            }
            expectEqual(states, [nil, false, true])
            try await expectEqual(add([come(users[0], 20)], to: store), [1])
        }
    }

    @Test func logsOfThoseWhoAreAwayAreBounded() async throws {
        try await withStore { store in
            let topics = (0..<4).map { LifecycleSubject.topic("chat:\($0)") }
            _ = try await add(
                topics.map { come($0, 0) } + topics[1...].map { go($0, 10) },
                to: store
            )
            _ = try await add([come(topics[1], 20), go(topics[1], 21)], to: store)
            _ = try await add([come(topics[2], 20), go(topics[2], 22)], to: store)
            func expiry(_ countMax: Int) async throws -> Timestamp {
                try await store.read(LifecycleTables.self) {
                    try $0.expiry(lastSeen: .seconds(100), now: Self.at(30), countMax: countMax)
                }
            }
            try await expectEqual(expiry(3), Self.at(-70))
            try await expectEqual(expiry(2), Self.at(10), "the oldest of three")
            try await expectEqual(expiry(0), Self.at(22))
        }
    }

    @Test func aDeletedUserIsInNoRowAndNoEvent() async throws {
        try await withStore { store in
            // Its namespace may have no events any more.
            let topic = Topic(trusted: "hub:life:former")
            let subjects: [LifecycleSubject] = [
                Self.anna, .client("c1", user: "anna"), .member("anna", of: "chat:1"), .user("bo"),
            ]
            try await store.commit(LifecycleTables.self) { tables in
                var change = Change()
                for subject in subjects {
                    let arrival = LifecycleChange(subject, isThere: true, at: Self.at(0))
                    let (number, time) = try require(try tables.add(arrival))
                    change.events.append(
                        TopicEvent(
                            topic: topic,
                            event: arrival.event(
                                sequence: number,
                                at: time,
                                id: "e\(change.events.count)"
                            ),
                            tags: arrival.tags
                        )
                    )
                }
                return (change, ())
            }
            try await LifecycleTables.forget("anna", in: store)
            let left = try await store.read(LifecycleTables.self) { try $0.present() }
            expectEqual(left, [.user("bo")])
            let stored = try await store.loadTopics(now: Self.at(1)) { _ in
                HistoryLimit(count: 100, age: nil)
            }
            let texts = stored.flatMap(\.publications).map {
                String(decoding: $0.payload, as: UTF8.self)
            }
            expectEqual(texts.count, 1)
            expect(texts.allSatisfy { !$0.contains("anna") }, "\(texts)")
        }
    }
}

import Expectations
import StoreTesting

@testable import Store

/// The two homes of a topic: what is said of keys and versions holds for both.
enum Home: CaseIterable, CustomTestStringConvertible {
    case file
    case memory

    var topic: Topic { self == .file ? radar : chat }

    var otherTopic: Topic { self == .file ? news : Topic(trusted: "chat:2") }

    var testDescription: String { self == .file ? "in the file" : "in memory" }

    func epoch(_ store: HubStore) -> String { self == .file ? store.epoch : store.memoryEpoch }
}

@Suite("Idempotency keys", .timeLimit(.minutes(10)))
struct IdempotencyTests {
    private let window = StoreLimits().idempotencyWindow

    private func keyed(_ topic: Topic, _ key: String, at seconds: Int = 0) -> TopicEvent {
        var event = event(topic, key, at: seconds)
        event.idempotencyKey = key
        return event
    }

    @Test(arguments: Home.allCases)
    func repeatIsNotPublishedAndGetsTheFirstOnesPosition(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            _ = try await store.publish(event(home.topic, "before"))
            let first = try await store.publish(keyed(home.topic, "k"))
            _ = try await store.publish(event(home.topic, "between"))
            let second = try await store.publish(keyed(home.topic, "k", at: 299))
            expectEqual([first].publications.map(\.offset), [2])
            expectEqual(second, .duplicate(Position(offset: 2, epoch: home.epoch(store))))
            expectEqual(log.publications.map(text), ["before", "k", "between"])
        }
    }

    @Test(arguments: Home.allCases)
    func keyIsOfOneTopic(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            _ = try await store.publish(keyed(home.topic, "k"))
            let other = try await store.publish(keyed(home.otherTopic, "k"))
            expectEqual([other].publications.map(\.offset), [1])
        }
    }

    @Test(arguments: Home.allCases)
    func keysAndEpochsThatOnlyLookAlikeAreTwo(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            _ = try await store.publish(keyed(home.topic, "\u{E9}"))
            let other = try await store.publish(keyed(home.topic, "e\u{301}"))
            expectEqual([other].publications.map(\.offset), [2])
            for (offset, epoch) in [(3, "\u{E9}"), (4, "e\u{301}")] {
                var event = event(home.topic, epoch)
                event.version = EventVersion(number: 1, epoch: epoch)
                let outcome = try await store.publish(event)
                expectEqual([outcome].publications.map(\.offset), [UInt64(offset)])
            }
        }
    }

    @Test(arguments: Home.allCases)
    func keyIsRememberedForTheWindowAndNoLonger(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            let seconds = Int(window.components.seconds)
            _ = try await store.publish(keyed(home.topic, "k"))
            let atLimit = try await store.publish(keyed(home.topic, "k", at: seconds))
            expectEqual(atLimit, .duplicate(Position(offset: 1, epoch: home.epoch(store))))
            let beyond = try await store.publish(keyed(home.topic, "k", at: seconds + 1))
            expectEqual([beyond].publications.map(\.offset), [2])
            let again = try await store.publish(keyed(home.topic, "k", at: seconds + 2))
            expectEqual(again, .duplicate(Position(offset: 2, epoch: home.epoch(store))))
        }
    }

    @Test(arguments: Home.allCases)
    func keyOfAChangeThatFailedIsNotRemembered(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            let flawed = Flaw.emptyKey.added(to: Change(events: [keyed(home.topic, "k")]))
            await #expect(throws: StoreError.self) { try await store.commit(flawed) }
            let outcome = try await store.publish(keyed(home.topic, "k"))
            expectEqual([outcome].publications.map(\.offset), [1])
        }
    }

    @Test(arguments: Home.allCases)
    func eventOutsideTheHistoryIsRemembered(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            var passing = keyed(home.topic, "k")
            passing.keepsHistory = false
            _ = try await store.publish(passing)
            let second = try await store.publish(passing)
            expectEqual(second, .duplicate(Position(offset: 0, epoch: home.epoch(store))))
        }
    }

    @Test(arguments: Home.allCases)
    func keyIsNeitherEmptyNorLong(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            let longest = String(repeating: "k", count: TopicEvent.idempotencyKeyLengthMax)
            for key in ["", longest + "k"] {
                let error = await #expect(throws: StoreError.self) {
                    try await store.publish(keyed(home.topic, key))
                }
                expectEqual(error?.code, .constraint)
            }
            expectEqual(store.health, .ok, "the change was at fault")
            let outcome = try await store.publish(keyed(home.topic, longest))
            expectEqual([outcome].publications.map(\.offset), [1])
        }
    }

    @Test(.needsFile) func durableKeyOutlivesTheProcess() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            _ = try await first.publish(keyed(radar, "k"))
            let copy = directory + "/killed"
            try copyStore(directory, to: copy)
            try await first.close()
            let second = try openStore(copy)
            let outcome = try await second.publish(keyed(radar, "k", at: 60))
            expectEqual(outcome, .duplicate(Position(offset: 1, epoch: second.epoch)))
            try await second.close()
        }
    }

    @Test func fileKeepsNoMoreKeysThanTheLimit() async throws {
        try await withStore(limits: StoreLimits(idempotencyKeysMax: 10)) { store in
            for number in 0..<50 { _ = try await store.publish(keyed(radar, "\(number)")) }
            try expectEqual(store.rowCounts()["idempotency"], 10)
            let known = try await store.publish(keyed(radar, "40"))
            expectEqual(known, .duplicate(Position(offset: 41, epoch: store.epoch)))
            let forgotten = try await store.publish(keyed(radar, "39"))
            expectEqual([forgotten].publications.count, 1)
        }
    }

    @Test func oldKeysAreDeletedAsNewOnesCome() async throws {
        try await withStore { store in
            for number in 0..<20 { _ = try await store.publish(keyed(radar, "old \(number)")) }
            for number in 0..<10 {
                _ = try await store.publish(keyed(radar, "new \(number)", at: 301))
            }
            try expectEqual(store.rowCounts()["idempotency"], 10)
        }
    }

    @Test func oldKeysAreDeletedByTheTrim() async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: 3)) { store in
            let keys = (0..<10).map { keyed(radar, "\($0)", at: $0) }
            _ = try await store.commit(Change(events: keys))
            let now = startOfTests + window + .seconds(8)
            try await store.trimKeys(now: now)
            try expectEqual(store.rowCounts()["idempotency"], 2)
        }
    }
}

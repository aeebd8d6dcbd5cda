import Expectations
import StoreTesting

@testable import Store

@Suite("Versions of events", .timeLimit(.minutes(10)))
struct VersionTests {
    private func versioned(_ topic: Topic, _ number: UInt64, _ epoch: String = "") -> TopicEvent {
        var event = event(topic, "\(number)")
        event.version = EventVersion(number: number, epoch: epoch)
        return event
    }

    @Test(arguments: Home.allCases)
    func onlyAHigherVersionIsPublished(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            var published: [UInt64] = []
            for number in [3, 3, 2, 4, 0, .max, .max, 5] as [UInt64] {
                switch try await store.publish(versioned(home.topic, number)) {
                case .published: published.append(number)
                case .stale(let position):
                    let top = Position(offset: UInt64(published.count), epoch: home.epoch(store))
                    expectEqual(position, top)
                case .refused: Issue.record("there is no limit")
                case .duplicate: Issue.record("no event has a key")
                }
            }
            expectEqual(published, [3, 4, .max])
        }
    }

    @Test(arguments: Home.allCases)
    func otherVersionEpochBeginsAnew(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            let steps: [(UInt64, String, Bool)] = [
                (7, "a", true), (1, "b", true), (1, "b", false), (2, "b", true), (3, "a", true),
            ]
            for (number, epoch, isPublished) in steps {
                let outcome = try await store.publish(versioned(home.topic, number, epoch))
                expectEqual(
                    ([outcome].publications.count == 1),
                    isPublished,
                    "\(number) of \(epoch)"
                )
            }
        }
    }

    @Test(arguments: Home.allCases)
    func eventWithoutAVersionIsAlwaysPublishedAndChangesNone(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            _ = try await store.publish(versioned(home.topic, 5))
            let plain = try await store.publish(event(home.topic, "plain"))
            expectEqual([plain].publications.map(\.offset), [2])
            let stale = try await store.publish(versioned(home.topic, 5))
            expectEqual(stale, .stale(Position(offset: 2, epoch: home.epoch(store))))
        }
    }

    @Test(arguments: Home.allCases)
    func versionOfAChangeThatFailedIsForgotten(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            _ = try await store.publish(versioned(home.topic, 1))
            let flawed = Flaw.emptyKey.added(to: Change(events: [versioned(home.topic, 9)]))
            await #expect(throws: StoreError.self) { try await store.commit(flawed) }
            let outcome = try await store.publish(versioned(home.topic, 2))
            expectEqual([outcome].publications.map(\.offset), [2])
        }
    }

    @Test(arguments: Home.allCases)
    func knownKeyIsADuplicateWhateverItsVersion(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            var event = versioned(home.topic, 1)
            event.idempotencyKey = "k"
            _ = try await store.publish(event)
            event.version?.number = 2
            let second = try await store.publish(event)
            expectEqual(second, .duplicate(Position(offset: 1, epoch: home.epoch(store))))
            let other = try await store.publish(versioned(home.topic, 2))
            expectEqual([other].publications.map(\.offset), [2], "version 2 was not taken")
        }
    }

    @Test func durableVersionOutlivesTheProcess() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            _ = try await first.publish(versioned(radar, .max, "e"))
            try await first.close()
            let second = try openStore(directory)
            let outcome = try await second.publish(versioned(radar, .max, "e"))
            expectEqual(outcome, .stale(Position(offset: 1, epoch: second.epoch)))
            try await second.close()
        }
    }
}

import Expectations
import SeededRandom
import StoreTesting

@testable import Store

/// The events of one change are judged as those of many changes would be.
@Suite("Groups of conditional events", .timeLimit(.minutes(10)))
struct EventGroupTests {
    /// Topics in the file and in memory; few keys, versions and times, so that they meet.
    private func events(_ random: inout SeededGenerator) -> [TopicEvent] {
        var seconds = 0
        return (0..<40).map { number in
            let topic = [radar, news, chat].randomElement(using: &random)!
            seconds += Int.random(in: 0...60, using: &random)
            var event = event(topic, "\(number)", at: seconds)
            event.keepsHistory = Int.random(in: 0..<4, using: &random) > 0
            if Bool.random(using: &random) {
                event.idempotencyKey = ["a", "b", "\u{E9}", "e\u{301}"].randomElement(
                    using: &random
                )
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                let epoch = Int.random(in: 0..<5, using: &random) == 0 ? "other" : ""
                event.version = EventVersion(
                    number: .random(in: 1...40, using: &random),
                    epoch: epoch
                )
            }
            return event
        }
    }

    /// Without cursors, which groups skip, and epochs, which each store has for itself.
    private func summary(_ outcome: EventOutcome) -> String {
        switch outcome {
        case .published(let publication, _): "\(text(publication)) at \(publication.offset)"
        case .duplicate(let position): "duplicate of \(position.offset)"
        case .stale(let position): "stale at \(position.offset)"
        case .refused(let refusal): "\(refusal)"
        }
    }

    @Test(arguments: 1...20)
    func outcomesDoNotDependOnTheGroup(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let events = events(&random)
        func outcomes(inGroupsOf size: Int) async throws -> [String] {
            try await withStore(isDurable: isDurable) { store in
                var outcomes: [EventOutcome] = []
                for start in stride(from: 0, to: events.count, by: size) {
                    let group = Array(events[start...].prefix(size))
                    outcomes += try await store.commit(Change(events: group)).outcomes
                }
                for topic in [radar, news] {
                    let stored = try await store.history(of: topic, count: 100)
                    let published = outcomes.publications.filter {
                        $0.topic == topic && $0.offset > 0
                    }
                    expectEqual(stored?.publications.map(text) ?? [], published.map(text))
                }
                return outcomes.map(summary)
            }
        }
        let single = try await outcomes(inGroupsOf: 1)
        try await expectEqual(outcomes(inGroupsOf: events.count), single)
        try await expectEqual(outcomes(inGroupsOf: 7), single)
    }

    @Test func keyThatExpiresInsideAGroupIsTheNewest() async throws {
        try await withStore(isDurable: isDurable) { store in
            func keyed(at seconds: Int) -> TopicEvent {
                var event = event(radar, "\(seconds)", at: seconds)
                event.idempotencyKey = "k"
                return event
            }
            let change = Change(events: [0, 299, 1000, 1299].map(keyed))
            let outcomes = try await store.commit(change).outcomes
            expectEqual(outcomes.map(\.isPublished), [true, false, true, false])
            let later = try await store.publish(keyed(at: 1300))
            expectEqual(later, .duplicate(Position(offset: 2, epoch: store.epoch)))
        }
    }

    @Test func changeThatFailsInAGroupLeavesTheOthers() async throws {
        try await withStore(isDurable: isDurable) { store in
            func write(_ number: Int, key: String) -> Write {
                var event = event(Topic(trusted: "radar:\(number)"), "\(number)")
                event.idempotencyKey = key
                event.version = EventVersion(number: UInt64(number + 1))
                return .change(Change(events: [event]))
            }
            let writes = [
                write(0, key: "k"), write(1, key: ""), write(2, key: "k"), write(0, key: "k"),
            ]
            let results = try await store.onSession { store.testWriter.commit(writes, in: $0) }
            let outcomes = results.map { try? $0.get().outcomes }
            expectEqual(outcomes[0]?.first?.isPublished, true)
            expectNil(outcomes[1])
            expectEqual(outcomes[2]?.first?.isPublished, true)
            expectEqual(outcomes[3], [.duplicate(Position(offset: 1, epoch: store.epoch))])
        }
    }
}

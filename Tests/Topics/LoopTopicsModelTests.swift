import Expectations
import SeededRandom

@testable import Topics

/// Random inputs to the hub's table of subscriptions, and the same to a set of triples.
@Suite("Subscriptions against a naive model", .timeLimit(.minutes(10)))
struct LoopTopicsModelTests {
    private struct Key: Hashable {
        var subscriber: Int32
        var topic: Int32
    }

    private func check(_ table: SubscriptionTable, _ model: [Key: WireForm], _ topics: Int32) {
        expectEqual(table.count, model.count)
        for topic in 0..<topics {
            var total = 0
            for raw in 0..<UInt8(WireForm.countMax) {
                let form = WireForm(rawValue: raw)
                let expected = model.filter { $0.key.topic == topic && $0.value == form }
                let subscribers = table.subscribers(of: topic, form: form)
                expectEqual(subscribers.sorted(), expected.map(\.key.subscriber).sorted())
                total += subscribers.count
            }
            expectEqual(table.subscriberCount(of: topic), total)
        }
    }

    /// Places, chains and index agree with each other.
    private func checkReferences(_ table: SubscriptionTable) {
        var inLists = 0
        for (number, list) in table.lists.enumerated() {
            expectEqual(list.subscribers.count, list.entries.count)
            for (place, entry) in list.entries.enumerated() {
                let subscription = table.slab[Int(entry)]
                let topic = Int32(number / WireForm.countMax)
                expectEqual(Int(subscription.place), place)
                expectEqual(subscription.topic, topic)
                expectEqual(Int(subscription.form), number % WireForm.countMax)
                expectEqual(subscription.subscriber, list.subscribers[place])
                expectEqual(table.entry(of: subscription.subscriber, in: topic), entry)
            }
            inLists += list.entries.count
        }
        var inChains = 0
        for (subscriber, first) in table.chains.enumerated() {
            var previous = SubscriptionTable.none
            var entry = first
            while entry != SubscriptionTable.none {
                expectEqual(table.slab[Int(entry)].subscriber, Int32(subscriber))
                expectEqual(table.slab[Int(entry)].previous, previous)
                previous = entry
                entry = table.slab[Int(entry)].next
                inChains += 1
            }
        }
        expectEqual(inLists, table.count)
        expectEqual(inChains, table.count)
        expectEqual(table.index.filter { $0 != SubscriptionTable.none }.count, table.count)
        expect(table.index.count >= 2 * table.count)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8])
    func tableAgreesWithTheModel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = SubscriptionTable()
        var model: [Key: WireForm] = [:]
        let topics = Int32(1 + seed)
        for step in 0..<3000 {
            let key = Key(
                subscriber: Int32.random(in: 0..<40, using: &random),
                topic: Int32.random(in: 0..<topics, using: &random)
            )
            // The share of removals swings, so that the table fills and empties.
            let removes = Int.random(in: 0..<100, using: &random) < (step / 500 % 2 == 0 ? 30 : 70)
            switch (removes, model[key]) {
            case (false, nil):
                let form = Self.anyForm(&random)
                table.add(key.subscriber, to: key.topic, form: form)
                model[key] = form
            case (false, _):
                let form = Self.anyForm(&random)
                let isMoved = table.move(key.subscriber, of: key.topic, to: form)
                expect(isMoved, "seed \(seed)")
                model[key] = form
            case (true, let form):
                let wasThere = table.remove(key.subscriber, from: key.topic)
                expectEqual(wasThere, (form != nil), "seed \(seed)")
                model[key] = nil
            }
            if Int.random(in: 0..<50, using: &random) == 0 {
                var removed: Set<Int32> = []
                while let topic = table.removeFirst(of: key.subscriber) {
                    expect(removed.insert(topic).inserted, "seed \(seed)")
                }
                let expected = model.keys.filter { $0.subscriber == key.subscriber }
                expectEqual(removed, Set(expected.map(\.topic)), "seed \(seed)")
                for key in expected { model[key] = nil }
            }
            if Int.random(in: 0..<50, using: &random) == 0 {
                let (form, other) = (Self.anyForm(&random), Self.anyForm(&random))
                table.moveAll(of: key.topic, from: form, to: other)
                for moved in model.keys where moved.topic == key.topic && model[moved] == form {
                    model[moved] = other
                }
            }
            if step % 100 == 0 {
                check(table, model, topics)
                checkReferences(table)
            }
        }
        check(table, model, topics)
        checkReferences(table)
    }

    private static func anyForm(_ random: inout SeededGenerator) -> WireForm {
        WireForm(rawValue: UInt8.random(in: 0..<UInt8(WireForm.countMax), using: &random))
    }

    @Test func moveOfWhatIsNotThereDoesNothing() {
        var table = SubscriptionTable()
        let form = WireForm(rawValue: 1)
        let isMoved = table.move(3, of: 0, to: form)
        expect(!isMoved)
        table.moveAll(of: 7, from: form, to: WireForm(rawValue: 2))
        table.add(3, to: 0, form: form)
        let isOtherMoved = table.move(4, of: 0, to: form)
        expect(!isOtherMoved)
        expectEqual(table.form(of: 3, in: 0), form)
        expectNil(table.form(of: 4, in: 0))
        expectEqual(table.topics(of: 3), [0])
        expectEqual(table.topics(of: 9), [])
    }

    @Test func crowdComesAndGoes() {
        var table = SubscriptionTable()
        let form = WireForm(rawValue: 0)
        let count = Int32(20_000)
        for subscriber in 0..<count {
            table.add(subscriber, to: 0, form: form)
            table.add(subscriber, to: 1 + subscriber % 7, form: form)
        }
        expectEqual(table.subscribers(of: 0, form: form).count, Int(count))
        var removedCount = 0
        for subscriber in 0..<count where table.remove(subscriber, from: 0) { removedCount += 1 }
        expectEqual(removedCount, Int(count))
        expect(table.subscribers(of: 0, form: form).isEmpty)
        expectEqual(table.count, Int(count))
        checkReferences(table)
        let slabSize = table.slab.count
        for subscriber in 0..<count { table.add(subscriber, to: 9, form: form) }
        expectEqual(table.slab.count, slabSize, "free entries are used again")
    }

    @Test func subscriptionIsSmall() {
        expectEqual(MemoryLayout<SubscriptionTable.Subscription>.stride, 24)
    }
}

/// Random publications, subscriptions and evictions: what a subscriber is told is compared with the
/// complete list of what was ever published.
@Suite("Recovery against a naive model", .timeLimit(.minutes(10)))
struct RecoveryModelTests {
    @Test(arguments: [UInt64(11), 12, 13, 14])
    func everyAnswerIsExact(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let topics = (0..<4).map { Topic(trusted: "t:\($0)") }
        // Of one that keeps nothing, nobody says that all is there: LoopTopicsTests, LoopTopicsStreamTests.
        let count = Int.random(in: 1...6, using: &random)
        let hub = TestHub(
            cursorBase: 1000,
            namespaces: ["t": HistoryLimit(count: count, age: nil)]
        )
        var published: [Publication] = []
        var cursor: UInt64 = 1000
        for _ in 0..<400 {
            cursor += UInt64.random(in: 1...3, using: &random)
            let topic = topics.randomElement(using: &random)!
            let offset = UInt64(published.count { $0.topic == topic } + 1)
            let publication = Publication(topic, offset, cursor: cursor)
            hub.publish(publication)
            published.append(publication)

            let asked = topics.filter { _ in Bool.random(using: &random) }
            let after = UInt64.random(in: max(1040, cursor) - 40...cursor, using: &random)
            let recovery = hub.publications(of: asked, afterCursor: after)
            let wanted = published.filter { asked.contains($0.topic) && $0.cursor > after }
            let lossy = recovery.gaps.flatMap(\.topics)
            expectEqual(Set(lossy).count, lossy.count, "seed \(seed): told twice")
            let got = Set(recovery.publications.map(\.cursor))
            expectEqual(recovery.publications.map(\.cursor), got.sorted(), "seed \(seed)")
            for publication in wanted where !got.contains(publication.cursor) {
                let told = recovery.gaps.first { $0.topics.contains(publication.topic) }
                expect(told != nil, "seed \(seed): untold loss")
                let through = told?.through ?? after
                expect(publication.cursor <= through, "seed \(seed): loss after the gap")
            }
            for topic in lossy {
                expect(
                    wanted.contains { $0.topic == topic && !got.contains($0.cursor) },
                    "seed \(seed): gap without a loss"
                )
            }

            let since = UInt64.random(in: 0...offset, using: &random)
            let subscribed = try hub.subscribe(
                1,
                form: WireForm(rawValue: 0),
                to: topic,
                since: Position(offset: since, epoch: "e")
            )
            hub.removeSubscriber(1)
            let missed = published.filter { $0.topic == topic && $0.offset > since }
            expectEqual(subscribed.recovery?.publications, missed.suffix(count))
            expectEqual(subscribed.recovery?.isComplete, (missed.count <= count))
        }
    }
}

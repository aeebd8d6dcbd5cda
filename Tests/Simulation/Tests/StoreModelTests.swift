import Expectations
import Hub

@testable import Simulation

/// The double of the store decides what the hub is held against; so it is held against the contract.
@Suite("Simulation: the model of the store", .timeLimit(.minutes(10)))
struct StoreModelTests {
    private final class Run {
        let trace = Trace()
        let store: StoreModel
        /// What was told, in order.
        var told: [String] = []

        init(seed: UInt64 = 1) {
            store = StoreModel(random: Randomness(seed: seed), trace: trace)
        }

        func publish(_ texts: String...) {
            for text in texts {
                store.publish(
                    [ClientPublication(topic: Topics.all[0], data: Array(text.utf8))],
                    at: Timestamp(milliseconds: 0)
                ) { [self] error in
                    told.append(error == nil ? "done \(text)" : "failed \(text)")
                }
            }
        }

        func step() {
            store.step { [self] loop, announcements in
                guard loop < 2 else { return false }
                told.append("loop \(loop): \(announcements.map(text).joined(separator: ", "))")
                return true
            }
        }

        private func text(_ announcement: StoreModel.Announcement) -> String {
            switch announcement {
            case .publications(let publications):
                publications.map { "\($0.offset)" }.joined(separator: ",")
            case .removal(let removal): "removed through \(removal.throughOffset)"
            case .forgotten(let topics):
                topics.map { "forgot \($0.topic) through \($0.throughCursor)" }.joined()
            case .erasures(let erasures): "erased \(erasures.map(\.value).joined())"
            }
        }

        /// Submits an event of the first topic and the removal of its history, in one change.
        func publishAndRemoveHistory(_ text: String) {
            let event = TopicEvent(
                topic: Topics.all[0],
                time: Timestamp(milliseconds: 0),
                payload: Array(text.utf8)
            )
            let change = Change(events: [event], removedHistories: [Topics.all[0]])
            store.submit(.change(change)) { [self] error in
                told.append(error == nil ? "done \(text)" : "failed \(text)")
            }
        }

        func removeHistory() {
            let change = Change(removedHistories: [Topics.all[0]])
            store.submit(.change(change)) { _ in }
        }

        func forget() { store.submit(.forgetting(topic: 0)) { _ in } }

        /// Submits an event of the first topic with a tag, and an erasure there, in one change.
        func publishAndErase(_ text: String, tagged tag: String, erasing value: String) {
            let event = TopicEvent(
                topic: Topics.all[0],
                time: Timestamp(milliseconds: 0),
                payload: Array(text.utf8),
                tags: ["group": tag]
            )
            let erasure = Erasure(topic: Topics.all[0], tag: "group", value: value)
            store.submit(.change(Change(events: [event], erasures: [erasure]))) { [self] error in
                told.append(error == nil ? "done \(text)" : "failed \(text)")
            }
        }

        func settle() { while !store.isIdle { step() } }
    }

    @Test func everyLoopIsToldBeforeTheCallers() {
        let run = Run()
        run.publish("a")
        run.settle()
        expectEqual(run.told, ["loop 0: 1", "loop 1: 1", "done a"])
    }

    @Test func removalIsToldBehindTheEventsOfItsChange() {
        let run = Run()
        run.publish("a")
        run.settle()
        run.told = []
        run.publishAndRemoveHistory("b")
        run.settle()
        expectEqual(
            run.told,
            [
                "loop 0: 2, removed through 2", "loop 1: 2, removed through 2", "done b",
            ]
        )
        run.publish("c")
        run.settle()
        let loaded = run.store.load(now: Timestamp(milliseconds: 0))[0]
        expectEqual(loaded.publications.map(\.offset), [3])
        expectEqual(loaded.evictedCursor, run.store.durable.topics[0][1].cursor)
    }

    @Test func erasureIsToldBehindTheEventsOfItsChangeAndLeavesHoles() {
        let run = Run()
        run.publish("a")
        run.publishAndErase("b", tagged: "x", erasing: "x")
        run.publish("c")
        run.settle()
        let behind = run.told.filter { $0.hasPrefix("loop 0") }.joined(separator: ", ")
        expect(
            behind.split(separator: ", ").map(String.init).joined(separator: " ").contains(
                "erased x"
            )
        )
        let loaded = run.store.load(now: Timestamp(milliseconds: 0))[0]
        expectEqual(loaded.publications.map(\.offset), [1, 3])
        expectEqual(loaded.topOffset, 3)
        expectEqual(loaded.evictedOffset, 0)
        let epoch = run.store.durable.epoch
        expect(run.store.isErased(epoch: epoch, topic: 0, after: 1, before: 3))
        expect(!run.store.isErased(epoch: epoch, topic: 0, after: 1, before: 4))
    }

    @Test func topicIsForgottenWhenNothingIsLeftAndBeginsInAnotherEpoch() {
        let run = Run()
        run.publish("a", "b")
        run.forget()
        run.settle()
        expectEqual(run.store.topOffset(0), 2, "its history was there")
        run.told = []
        run.removeHistory()
        run.forget()
        run.settle()
        expect(run.told.joined(separator: ", ").contains("forgot news:a through 1002"))
        expectEqual(run.store.topOffset(0), 0)
        run.publish("c")
        run.settle()
        let loaded = run.store.load(now: Timestamp(milliseconds: 0))[0]
        expectEqual(loaded.topOffset, 1)
        expectEqual(loaded.beginning, 1002)
        expectEqual(loaded.evictedCursor, 1002, "a stream of before is told a gap")
        let former = run.store.publication(epoch: "epoch-1", topic: 0, offset: 1)
        let present = run.store.publication(epoch: "epoch-1-1002", topic: 0, offset: 1)
        expectEqual(former?.payload, Array("a".utf8))
        expectEqual(present?.payload, Array("c".utf8))
    }

    @Test func epochNamesTheFirstHistoryBehindItsPlace() {
        var known = KnownHistories()
        for beginning in [0, 500, 900] as [UInt64] {
            known.add(HistoryName(storeEpoch: "epoch-1", topic: 0, beginning: beginning))
        }
        expectEqual(known.named("epoch-1", of: 0)?.beginning, 0)
        expectEqual(known.named("epoch-1-1", of: 0)?.beginning, 500)
        expectEqual(known.named("epoch-1-500", of: 0)?.beginning, 500)
        expectEqual(known.named("epoch-1-501", of: 0)?.beginning, 900)
        expectNil(known.named("epoch-1-901", of: 0))
        expectNil(known.named("epoch-2-1", of: 0))
        expect(known.areSame("epoch-1-1", "epoch-1-500", of: 0))
        expect(!known.areSame("epoch-1", "epoch-1-500", of: 0))
    }

    @Test func offsetsAreContiguousAndCursorsGrow() {
        let run = Run()
        run.publish("a", "b", "c", "d", "e", "f", "g", "h", "i")
        run.settle()
        let publications = run.store.durable.topics[0]
        expectEqual(publications.map(\.offset), Array(1...9))
        expectEqual(publications.map(\.cursor), Array(1001...1009))
        expectEqual(run.told.filter { $0.hasPrefix("done") }.count, 9)
    }

    @Test func crashLosesWhatIsNotCommitted() {
        let run = Run()
        run.publish("a")
        run.store.crash()
        run.settle()
        expectEqual(run.told, [])
        expectEqual(run.store.topOffset(0), 0)
    }

    @Test func crashBehindTheCommitKeepsIt() {
        let run = Run()
        run.publish("a")
        run.step()
        run.store.crash()
        run.settle()
        expectEqual(run.told, [], "nobody heard of it")
        expectEqual(run.store.topOffset(0), 1)
        expectEqual(run.store.load(now: Timestamp(milliseconds: 0))[0].publications.count, 1)
    }

    @Test func failingDiskKeepsNothingAndTellsTheCallersAlone() {
        let run = Run()
        run.store.isFailing = true
        run.publish("a", "b")
        run.settle()
        expectEqual(run.told, ["failed a", "failed b"])
        expectEqual(run.store.topOffset(0), 0)
        expectEqual(run.store.durable.lastCursor, 1000)
    }

    @Test func lossOfPowerBeginsAnEpochAboveAllCursors() {
        for seed in UInt64(1)...20 {
            let run = Run(seed: seed)
            for text in ["a", "b", "c"] {
                run.publish(text)
                run.settle()
            }
            let epoch = run.store.durable.epoch
            run.store.crash()
            run.store.losePower()
            let kept = run.store.topOffset(0)
            expect(kept <= 3, "seed \(seed)")
            expect(run.store.durable.epoch != epoch, "seed \(seed)")
            expect(run.store.durable.cursorBase > 1003, "seed \(seed)")
            // What was seen stays known under the epoch in which it was seen.
            expect(run.store.publication(epoch: epoch, topic: 0, offset: 3) != nil)
            let next = run.store.publication(
                epoch: run.store.durable.epoch,
                topic: 0,
                offset: kept + 1
            )
            expectNil(next, "seed \(seed)")
        }
    }

    @Test func acknowledgedPublicationThatIsLostIsNoticed() {
        let run = Run()
        _ = run.store.acknowledge(0, Array("a".utf8))
        expectEqual(run.trace.violation, "news:a: acknowledged, and not in the store")
    }

    @Test func historyIsLoadedWithinItsLimits() {
        let run = Run()
        for number in 0..<50 { run.publish("\(number)") }
        run.settle()
        let loaded = run.store.load(now: Timestamp(milliseconds: 0))[0]
        expectEqual(loaded.topOffset, 50)
        expectEqual(loaded.publications.map(\.offset), Array(11...50))
        expectEqual(loaded.evictedCursor, run.store.durable.topics[0][9].cursor)
    }
}

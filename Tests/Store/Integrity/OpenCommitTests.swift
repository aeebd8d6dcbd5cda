import Expectations
import StoreTesting

@testable import Store

/// The server does not answer a COMMIT, and then no question for its outcome until a test lets it.
@Suite("A commit whose outcome becomes known later", .timeLimit(.minutes(10)))
struct OpenCommitTests {
    private struct Fixture {
        let store: HubStore
        let commits: FailingCommits
        let log = Locked<[Publication]>([])
        let others = Locked<[String]>([])

        init(_ store: HubStore, _ commits: FailingCommits) {
            (self.store, self.commits) = (store, commits)
            let (log, others) = (log, others)
            store.observe(\.committed) { publications in log.withLock { $0 += publications } }
            store.observe(\.removed) { removal in
                others.withLock { $0.append("removed through \(removal.throughOffset)") }
            }
            store.observe(\.erased) { erasures in
                others.withLock { $0 += erasures.map { "erased \($0.value)" } }
            }
            store.observe(\.deliveriesChanged) { others.withLock { $0.append("deliveries") } }
        }

        var announced: [String] { log.withLock { $0.map(text) } }

        /// Lets the next commit be unanswered.
        func loseAnswer(isStored: Bool) {
            commits.setSilent(true)
            commits.fail(.unknownFate(isStored: isStored), times: 1)
        }

        /// Starts `write`, and returns when its commit was not answered.
        func unanswered<Value: Sendable>(
            isStored: Bool,
            _ write: @escaping @Sendable (HubStore) async throws -> Value
        ) async -> Task<Value, any Error> {
            loseAnswer(isStored: isStored)
            let task = Task { [store] in try await write(store) }
            await commits.untilFailed()
            return task
        }

        func publish(_ topic: Topic, _ text: String, key: String? = nil) async throws
            -> EventOutcome
        {
            var event = event(topic, text)
            event.idempotencyKey = key
            return try await store.commit(Change(events: [event]), awaitsOutcome: false).outcomes[0]
        }

        /// What was announced besides publications, when the writer has nothing more to do.
        func announcedOthers() async -> [String] {
            await store.onWriter { [others] _, _ in others.withLock { $0 } }
        }

        /// The code with which a write is refused.
        func refusal(_ write: () async throws -> some Any) async -> StoreError.Code? {
            let error = await #expect(throws: StoreError.self) { _ = try await write() }
            return error?.code
        }

        func stored() async throws -> [String] {
            try await store.loadAll().flatMap(\.publications).sorted { $0.cursor < $1.cursor }
                .map(text)
        }
    }

    private func withFixture(_ body: (Fixture) async throws -> Void) async throws {
        try await withDirectory { directory in
            let commits = FailingCommits()
            let store = try openStore(directory, isDurable: isDurable, commits: commits)
            _ = try await store.publish(event(chat, "reserves cursors"))
            let fixture = Fixture(store, commits)
            try await body(fixture)
            let cursors = fixture.log.withLock { $0.map(\.cursor) }
            expect(cursors == cursors.sorted() && Set(cursors).count == cursors.count)
            commits.setSilent(false)
            try await store.close()
        }
    }

    @Test(arguments: [true, false])
    func publisherIsToldAndTheCommitIsAnnouncedBeforeLaterOnes(isStored: Bool) async throws {
        try await withFixture { hub in
            _ = try await hub.publish(radar, "1")
            hub.loseAnswer(isStored: isStored)
            await expectEqual(hub.refusal { try await hub.publish(radar, "2") }, .fateUnknown)
            expect(hub.store.health != .ok)
            await expectEqual(hub.refusal { try await hub.publish(news, "3") }, .cannotOpen)
            expectEqual(hub.announced, ["1"])
            hub.commits.setSilent(false)
            _ = try await hub.publish(radar, "4")
            let all = isStored ? ["1", "2", "4"] : ["1", "4"]
            expectEqual(hub.announced, all)
            expectEqual(hub.log.withLock { $0.map(\.offset) }, Array(1...UInt64(all.count)))
            try await expectEqual(hub.stored(), all)
            expectEqual(hub.store.health, .ok)
        }
    }

    /// Nobody writes: the store asks by itself.
    @Test(arguments: [true, false])
    func callerThatAwaitsTheOutcomeReceivesIt(isStored: Bool) async throws {
        try await withFixture { hub async throws in
            let task = await hub.unanswered(isStored: isStored) { store in
                try await store.commit(
                    Change(
                        events: [event(radar, "1")],
                        state: [StateRow(domain: "d", key: "k", value: [1])],
                        deliveries: [delivery("m")]
                    )
                )
            }
            hub.commits.setSilent(false)
            switch await task.result {
            case .success(let committed):
                expect(isStored)
                expectEqual(committed.outcomes.publications.map(\.offset), [1])
            case .failure(let error):
                expect(!isStored)
                expectEqual((error as? StoreError)?.code, .cannotOpen, "and not fateUnknown")
            }
            expectEqual(hub.announced, (isStored ? ["1"] : []))
            try await expectEqual(hub.store.state(domain: "d").count, (isStored ? 1 : 0))
            expectEqual(hub.store.deliveryTally.pending, (isStored ? 1 : 0))
            await expectEqual(hub.announcedOthers(), (isStored ? ["deliveries"] : []))
        }
    }

    @Test(arguments: [true, false])
    func keySettlesARetry(isStored: Bool) async throws {
        try await withFixture { hub in
            hub.loseAnswer(isStored: isStored)
            await expectEqual(
                hub.refusal { try await hub.publish(radar, "1", key: "k") },
                .fateUnknown
            )
            await expectEqual(
                hub.refusal { try await hub.publish(radar, "1", key: "k") },
                .cannotOpen
            )
            hub.commits.setSilent(false)
            let outcome = try await hub.publish(radar, "1", key: "k")
            let first = Position(offset: 1, epoch: hub.store.epoch)
            expectEqual((outcome == .duplicate(first)), isStored)
            expectEqual(hub.announced, ["1"])
            try await expectEqual(hub.stored(), ["1"])
        }
    }

    @Test func removalsAndErasuresAreAnnounced() async throws {
        try await withFixture { hub in
            _ = try await hub.publish(radar, "1")
            let erasure = Erasure(topic: news, tag: "author", value: "kari")
            let task = await hub.unanswered(isStored: true) { store in
                try await store.commit(Change(removedHistories: [radar], erasures: [erasure]))
            }
            await expectEqual(hub.announcedOthers(), [])
            hub.commits.setSilent(false)
            _ = try await task.value
            let all = ["removed through 1", "erased kari", "deliveries"]
            await expectEqual(hub.announcedOthers(), all)
        }
    }

    // MARK: Memory topics

    @Test(arguments: [true, false])
    func memoryTopicsContinueBeforeTheCommit(isStored: Bool) async throws {
        try await withFixture { hub in
            hub.loseAnswer(isStored: isStored)
            await expectEqual(hub.refusal { try await hub.publish(radar, "durable") }, .fateUnknown)
            for number in 1...3 { _ = try await hub.publish(chat, "\(number)") }
            expectEqual(hub.announced, ["1", "2", "3"])
            hub.commits.setSilent(false)
            _ = try await hub.publish(radar, "next")
            _ = try await hub.publish(chat, "4")
            expectEqual(
                hub.announced,
                ["1", "2", "3"] + (isStored ? ["durable"] : []) + ["next", "4"]
            )
            let chats = hub.log.withLock { $0.filter { $0.topic == chat }.map(\.offset) }
            expectEqual(chats, [2, 3, 4, 5])
        }
    }

    @Test(arguments: [true, false])
    func memoryTopicOfTheCommitWaitsForIt(isStored: Bool) async throws {
        try await withFixture { hub in
            let task = await hub.unanswered(isStored: isStored) { store in
                try await store.commit(Change(events: [event(radar, "a"), event(chat, "b")]))
            }
            await expectEqual(hub.refusal { try await hub.publish(chat, "c") }, .cannotOpen)
            let chat2 = Topic(trusted: "chat:2")
            _ = try await hub.publish(chat2, "d")
            hub.commits.setSilent(false)
            _ = await task.result
            _ = try await hub.publish(chat, "e")
            expectEqual(hub.announced, ["d"] + (isStored ? ["a", "b"] : []) + ["e"])
            let last = hub.log.withLock { $0.last }
            expectEqual(last?.offset, (isStored ? 3 : 2))
        }
    }

    // MARK: No outcome

    @Test(arguments: [true, false])
    func outcomeThatIsNeverKnownEndsAllCommits(isStored: Bool) async throws {
        try await withFixture { hub in
            hub.commits.fail(.lostFate(isStored: isStored), times: 1)
            let code = await hub.refusal {
                try await hub.store.commit(Change(events: [event(radar, "1")]))
            }
            expectEqual(code, .fateUnknown)
            for topic in [radar, chat] {
                let error = await #expect(throws: StoreError.self) {
                    try await hub.publish(topic, "2")
                }
                expectEqual(error?.code, .gone)
                expectEqual(error?.message, "the outcome is lost: restart the hub")
            }
            expectEqual(hub.announced, [])
            if TestEngine.isPostgres { expectEqual(hub.store.restartReason, "the outcome is lost") }
        }
    }

    @Test func callerThatAwaitsTheOutcomeIsToldOfTheEnd() async throws {
        try await withFixture { hub in
            let task = await hub.unanswered(isStored: true) { store in
                try await store.commit(Change(events: [event(radar, "1")]))
            }
            await hub.store.stopWaiting()
            await expectEqual(hub.refusal { try await task.value }, .fateUnknown)
            await expectEqual(hub.refusal { try await hub.publish(radar, "2") }, .gone)
            expectEqual(hub.announced, [])
        }
    }

    @Test func endOfWaitingStillFindsAnOutcomeThatIsKnown() async throws {
        try await withFixture { hub in
            let task = await hub.unanswered(isStored: true) { store in
                try await store.commit(Change(events: [event(radar, "1")]))
            }
            hub.commits.setSilent(false)
            await hub.store.stopWaiting()
            _ = try await task.value
            _ = try await hub.publish(radar, "2")
            expectEqual(hub.announced, ["1", "2"])
        }
    }

    @Test func closedStoreKeepsNoCallerWaiting() async throws {
        try await withDirectory { directory in
            let commits = FailingCommits()
            let store = try openStore(directory, commits: commits)
            let hub = Fixture(store, commits)
            let task = await hub.unanswered(isStored: true) { store in
                try await store.commit(Change(events: [event(radar, "1")]))
            }
            try await store.close()
            await expectEqual(hub.refusal { try await task.value }, .fateUnknown)
            let next = try openStore(directory)
            try await expectEqual(next.loadAll()[0].publications.map(text), ["1"])
            try await next.close()
        }
    }
}

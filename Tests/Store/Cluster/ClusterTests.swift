import Expectations
import StoreTesting

@testable import Store

@Suite("The nodes of a cluster", .timeLimit(.minutes(10)))
struct ClusterTests {
    private let fixture = ClusterFixture()

    @Test func everyNodeIsToldTheSameInOneOrder() async throws {
        try await fixture.withNodes(["a", "b", "c"]) { nodes in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, node) in nodes.enumerated() {
                    group.addTask {
                        for number in 0..<20 {
                            try await node.publish(radar, "\(index)-\(number)")
                            try await node.publish(Topic("load:\(index)"), "\(number)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let first = await nodes[0].told()
            expectEqual(first.count, 120)
            for node in nodes.dropFirst() { await expectEqual(node.told(), first) }
            let offsets = first.compactMap { told -> UInt64? in
                guard case .publication(radar, let offset, _) = told else { return nil }
                return offset
            }
            expectEqual(offsets, Array(1...60))
            let cursors = nodes[0].toldCursors
            expect(zip(cursors, cursors.dropFirst()).allSatisfy { $0 < $1 })
            for node in nodes { expectEqual(node.toldCursors, cursors) }
        }
    }

    /// A node that answered although it could not read the log reported gaps where nothing was missing.
    @Test func aNodeWhoseConnectionIsLostAnswersWhenItHasCaughtUp() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            let process = try await nodes[1].store.onSession {
                try $0.integer("SELECT pg_backend_pid()")
            }
            let blocker = try await nodes[1].blockedWriter()
            async let told = nodes[1].told()
            try await nodes[0].publish(radar, "one")
            try fixture.run("SELECT pg_terminate_backend(\(process ?? 0), 10000)")
            blocker.signal()
            await expectEqual(told, [.publication(radar, 1, "one")])
        }
    }

    /// A node whose clock is ahead published a repeated request again, and deleted the others' keys.
    @Test func keysExpireByTheClockOfTheServer() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            func publish(_ node: Node, hoursAhead: Int) async throws -> EventOutcome {
                var keyed = event(radar, "{}", at: hoursAhead * 3600)
                keyed.idempotencyKey = "k"
                return try await node.store.publish(keyed)
            }
            try await expect(publish(nodes[0], hoursAhead: -1).isPublished)
            for hours in [0, 1, -2] {
                guard case .duplicate(let place) = try await publish(nodes[1], hoursAhead: hours)
                else {
                    Issue.record("published again by a clock that differs by \(hours + 1) h")
                    return
                }
                expectEqual(place.offset, 1)
            }
            try await nodes[1].store.trimKeys(now: startOfTests + .seconds(7200))
            try expectEqual(fixture.run("SELECT key FROM idempotency").rowCount, 1)
            // A minute before the end of the window, because the server's clock does not stand still, and
            // past it. IdempotencyTests has the exact limit.
            let window = StoreLimits().idempotencyWindow.wholeMilliseconds
            for (age, isOver) in [(window - 60_000, false), (window + 1, true)] {
                try fixture.run(
                    """
                    UPDATE idempotency SET time =
                        (extract(epoch FROM clock_timestamp()) * 1000)::bigint - \(age)
                    """
                )
                try await expectEqual(publish(nodes[1], hoursAhead: 0).isPublished, isOver)
            }
        }
    }

    @Test func aNodeWhoseClockIsBehindContinuesTheTimesOfTheOthers() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            for (node, seconds) in [(1, 10), (0, 7200), (1, 20), (0, 7300)] {
                _ = try await nodes[node].store.publish(event(radar, "{}", at: seconds))
            }
            let stored = try await require(nodes[1].store.history(of: radar, count: 9))
            let times = stored.publications.map { $0.time - startOfTests }
            expectEqual(
                times.sorted(),
                [.seconds(10), .seconds(7200), .seconds(7200), .seconds(7300)]
            )
        }
    }

    @Test func questionsThatWaitAreBounded() {
        var following = Following()
        let answered = Locked<[Int]>([])
        for number in 0...Following.questionsMax {
            following.ask { answered.withLock { $0.append(number) } }
        }
        for question in following.takeQuestions() { question() }
        expectEqual(answered.withLock { $0 }, Array(1...Following.questionsMax))
        expect(following.takeQuestions().isEmpty)
    }

    @Test func aNodeIsToldWithoutAskingWhatAnotherCommits() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            let log = Locked(false)
            try await nodes[0].publish(radar, "one")
            while !log.withLock({ $0 }) {
                // Only the follower's own reading tells: this looks, and asks for nothing.
                log.withLock { $0 = !nodes[1].toldCursors.isEmpty }
                await Task.yield()
            }
            expectEqual(nodes[1].toldCursors, nodes[0].toldCursors)
        }
    }

    /// Removals, erasures, deleted topics and notes have their places among the publications.
    @Test func everythingElseHasItsPlace() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            let (a, b) = (nodes[0], nodes[1])
            try await a.publish(radar, "1")
            try await b.store.removeHistory(of: radar)
            var tagged = event(radar, "2")
            tagged.tags = ["id": "x"]
            _ = try await a.store.publish(tagged)
            _ = try await b.store.commit(
                Change(erasures: [Erasure(topic: radar, tag: "id", value: "x")])
            )
            try await b.store.tell(ClusterNote(kind: "n", body: [1]))
            var fleeting = event(radar, "3")
            fleeting.keepsHistory = false
            _ = try await b.store.publish(fleeting)
            try await a.publish(radar, "4")
            let told = await a.told()
            expectEqual(
                told,
                [
                    .publication(radar, 1, "1"), .removal(radar, through: 1),
                    .publication(radar, 2, "2"), .erasure(radar, "x"), .note("n"),
                    .publication(radar, 0, "3"), .publication(radar, 3, "4"),
                ]
            )
            await expectEqual(b.told(), told)
        }
    }

    /// A topic that one node deletes begins again with the same epoch on the other.
    @Test func aDeletedTopicBeginsAgainOnEveryNode() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            let (a, b) = (nodes[0], nodes[1])
            try await a.publish(radar, "1")
            try await b.publish(radar, "2")
            let later = startOfTests + .seconds(1_000)
            try await a.store.trimPublications(now: later) { _ in
                HistoryLimit(count: 1, age: .seconds(1))
            }
            try await a.store.forgetTopics(
                now: later,
                quietTime: { _ in .seconds(1) },
                unused: { $0 }
            )
            await expectEqual(b.told().last, .forgotten(radar))
            let again = try await b.publish(radar, "3")
            guard case .published(let publication, let epoch) = again else {
                Issue.record("not published: \(again)")
                return
            }
            expectEqual(publication.offset, 1)
            expectEqual(epoch.beginning, publication.cursor - 1)
            guard case .published(let next, let epochOfA) = try await a.publish(radar, "4") else {
                Issue.record("not published")
                return
            }
            expectEqual(next.offset, 2)
            expectEqual(epochOfA, epoch)
        }
    }

    @Test func anIdempotencyKeyHoldsOnEveryNode() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            for number in 0..<20 {
                async let one = nodes[0].publish(radar, "a\(number)", key: "k\(number)")
                async let other = nodes[1].publish(radar, "b\(number)", key: "k\(number)")
                let outcomes = [try await one, try await other]
                expectEqual(outcomes.count { $0.isPublished }, 1)
            }
            await expectEqual(nodes[0].told().count, 20)
        }
    }

    /// A memory topic has rows in a cluster: a node that starts reads them.
    @Test func memoryTopicsHaveOneOrderAndAreLoaded() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            try await nodes[0].publish(chat, "1")
            try await nodes[1].publish(chat, "2")
            let late = try fixture.open("c")
            let topics = try await late.loadAll()
            expectEqual(topics.map(\.topic), [chat])
            expectEqual(topics.first?.publications.map(text), ["1", "2"])
            try await late.close()
        }
    }

    // MARK: Failures

    /// What was taken in before a write that fails is not undone with it.
    @Test func aFailedWriteDoesNotUndoWhatOthersCommitted() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            let (a, b) = (nodes[0], nodes[1])
            try await b.publish(radar, "b1")
            try await a.publish(radar, "a1")
            try await a.publish(radar, "a2")
            struct Failure: Error {}
            await #expect(throws: (any Error).self) {
                _ = try await b.store.write { _ in throw Failure() }
            }
            try await b.publish(radar, "b2")
            let told = await a.told()
            expectEqual(
                told,
                [
                    .publication(radar, 1, "b1"), .publication(radar, 2, "a1"),
                    .publication(radar, 3, "a2"), .publication(radar, 4, "b2"),
                ]
            )
            await expectEqual(b.told(), told)
        }
    }

    /// The same where a write of a batch fails and the others are repeated in savepoints.
    @Test func aFailedWriteOfABatchDoesNotUndoWhatOthersCommitted() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            let (a, b) = (nodes[0], nodes[1])
            try await b.publish(radar, "b1")
            struct Failure: Error {}
            let blocker = try await b.blockedWriter()
            try await a.publish(radar, "a1")
            let failed = Task { try await b.store.write { _ in throw Failure() } }
            let published = Task { try await b.publish(radar, "b2") }
            while b.store.statistics.writesWaiting < 2 { await Task.yield() }
            blocker.signal()
            await #expect(throws: (any Error).self) { _ = try await failed.value }
            _ = try await published.value
            try await a.publish(radar, "a2")
            let told = await a.told()
            expectEqual(
                told,
                [
                    .publication(radar, 1, "b1"), .publication(radar, 2, "a1"),
                    .publication(radar, 3, "b2"), .publication(radar, 4, "a2"),
                ]
            )
            await expectEqual(b.told(), told)
        }
    }

    /// A batch that was deleted before a node has read it cannot be made up for.
    @Test func aNodeThatFellBehindMustRestart() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            let (a, b) = (nodes[0], nodes[1])
            let blocker = try await b.blockedWriter()
            for number in 1...3 { try await a.publish(radar, "\(number)") }
            try fixture.run("DELETE FROM batch WHERE number < (SELECT max(number) FROM batch)")
            blocker.signal()
            await #expect(throws: StoreError.self) { try await b.publish(radar, "4") }
            _ = await b.told()
            let reason = try require(b.store.restartReason)
            expect(reason.contains("was deleted before this node has read it"))
            expect(b.toldCursors.isEmpty)
            try await a.publish(radar, "5")
            await expectEqual(a.told().count, 4)
        }
    }

    /// The answer to a COMMIT is lost: the row of the batch decides what became of it.
    @Test(arguments: [true, false])
    func lostAnswersAreFoundOut(arrives: Bool) async throws {
        let isLost = Locked(false)
        var fixture = fixture
        fixture.commit = { session in
            guard isLost.withLock({ $0 }) else { return try session.commit() }
            isLost.withLock { $0 = false }
            if arrives { try session.commit() }
            throw PostgresError(.noConnection, "lost")
        }
        try await fixture.withNodes(["a", "b"]) { nodes in
            let (a, b) = (nodes[0], nodes[1])
            try await a.publish(radar, "1")
            isLost.withLock { $0 = true }
            let second = await Result { try await a.publish(radar, "2") }
            expectEqual(second.isSuccess, arrives)
            try await b.publish(radar, "3")
            try await a.publish(radar, "4")
            let texts = arrives ? ["1", "2", "3", "4"] : ["1", "3", "4"]
            let told = await a.told()
            expectEqual(
                told,
                texts.enumerated().map {
                    .publication(radar, UInt64($0.offset + 1), $0.element)
                }
            )
            await expectEqual(b.told(), told)
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension Node {
    /// Holds the writer's queue until the result is signalled.
    func blockedWriter() async throws -> Blocker {
        let blocker = Blocker()
        await withCheckedContinuation { continuation in
            store.engine.write { _ in
                continuation.resume()
                blocker.wait()
            }
        }
        return blocker
    }
}

import Expectations
import PostgresTesting
import StoreTesting

@testable import Store

@Suite("The leader of a cluster", .timeLimit(.minutes(10)))
struct LeaderTests {
    private let fixture = ClusterFixture()

    /// The terms that a node was told.
    private final class Terms: Sendable {
        private let terms = Locked<[Int64?]>([])

        var all: [Int64?] { terms.withLock { $0 } }

        func note(_ term: Int64?) { terms.withLock { $0.append(term) } }

        func wait(_ count: Int) async {
            while all.count < count { await Task.yield() }
        }
    }

    private func keep(_ node: Node) -> Terms {
        let terms = Terms()
        node.store.keepLease { terms.note($0) }
        return terms
    }

    @Test func oneNodeLeadsAndGivesBackAtItsEnd() async throws {
        let first = try await Node(fixture.open("a"))
        try await fixture.withNodes(["b"]) { nodes in
            let terms = keep(first)
            await terms.wait(1)
            expectEqual(terms.all, [1])
            let others = keep(nodes[0])
            try await nodes[0].publish(radar, "1")
            expectEqual(others.all, [])
            try await first.store.close()
            await others.wait(1)
            expectEqual(others.all, [2])
        }
    }

    /// A leader whose lease another node has taken commits nothing until it knows.
    @Test func anOldTermCommitsNothing() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            let (a, b) = (nodes[0], nodes[1])
            let terms = keep(a)
            await terms.wait(1)
            await a.store.setTerm(1)
            try await a.publish(radar, "1")
            try fixture.run("UPDATE lease SET process = 'other', term = 2")
            let refusal = await #expect(throws: StoreError.self) {
                try await a.publish(radar, "2")
            }
            expectEqual(refusal?.code, .notLeading)
            // It is not the database that failed.
            expectEqual(a.store.health, .ok)
            try await b.publish(radar, "3")
            await a.store.setTerm(nil)
            try await a.publish(radar, "4")
            await expectEqual(
                a.told(),
                [
                    .publication(radar, 1, "1"), .publication(radar, 2, "3"),
                    .publication(radar, 3, "4"),
                ]
            )
        }
    }

    @Test func anExpiredLeaseIsTaken() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            let terms = keep(nodes[0])
            await terms.wait(1)
            try fixture.run("UPDATE lease SET process = 'dead', until = '-infinity'")
            let others = keep(nodes[1])
            await others.wait(1)
            expectEqual(others.all, [2])
        }
    }

    @Test func aNodeThatGivesItBackIsTold() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            let terms = keep(nodes[0])
            await terms.wait(1)
            nodes[0].store.giveLeaseBack()
            await terms.wait(3)
            // There is no other node. It leads again in the same term, because no other led in between.
            expectEqual(terms.all, [1, nil, 1])
        }
    }

    /// The node's own clock ends the lease while its question to the server is not answered.
    @Test func aLeaseEndsWithoutAnAnswer() async throws {
        var fixture = fixture
        fixture.lease = .seconds(1)
        try await fixture.withNodes(["a"]) { nodes in
            let terms = keep(nodes[0])
            await terms.wait(1)
            let blocker = try PostgresConnection(testServer())
            try blocker.execute("SET search_path = \(fixture.schema), pg_catalog")
            try blocker.execute("BEGIN; SELECT FROM lease FOR UPDATE")
            await terms.wait(2)
            expectEqual(terms.all, [1, nil])
            try blocker.execute("ROLLBACK")
            await terms.wait(3)
            expectEqual(terms.all, [1, nil, 1])
        }
    }

    /// A node whose writer waits does not keep the lease that it cannot use.
    @Test func aNodeThatCannotWriteLosesTheLease() async throws {
        var fixture = fixture
        fixture.lease = .seconds(1)
        try await fixture.withNodes(["a", "b"]) { nodes in
            let terms = keep(nodes[0])
            await terms.wait(1)
            let blocker = try await nodes[0].blockedWriter()
            let others = keep(nodes[1])
            await others.wait(1)
            blocker.signal()
            expectEqual(others.all.first, 2)
        }
    }

    /// Deliveries that another node has queued wake the sender, which runs on the leader.
    @Test func deliveriesOfOtherNodesAreTold() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            let count = Locked(0)
            nodes[0].store.observe(\.deliveriesChanged) { count.withLock { $0 += 1 } }
            _ = try await nodes[1].store.commit(
                Change(events: [event(radar, "1")], deliveries: [delivery("m1")])
            )
            _ = await nodes[0].told()
            expectEqual(count.withLock { $0 }, 1)
            expectEqual(nodes[0].store.takeOutboxChanges().grown, ["endpoint-1"])
        }
    }

    @Test func deliveriesOfAllNodesAreCounted() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            for (node, message) in zip(nodes, ["m1", "m2"]) {
                _ = try await node.store.commit(Change(deliveries: [delivery(message)]))
            }
            for node in nodes {
                try await expectEqual(node.store.deliveryCounts().pending, 2)
                expectEqual(node.store.deliveryTally.pending, 2)
            }
        }
    }
}

import Expectations
import PostgresTesting
import StoreTesting

@testable import Store

/// A server is promoted for a node that has its place in the timeline before.
@Suite("Promotions, as a node sees them", .timeLimit(.minutes(10)))
struct PromotionTests {
    private let fixture = ClusterFixture()

    /// A node that has committed twice, on a server that was promoted since.
    private struct Promotion {
        let node: Node
        let connection: PostgresConnection
        let target: PostgresTarget
        /// The server as it was before.
        let start: PostgresEngine.Start
        let current: PostgresPlace
        let applied: LogPlace

        /// Connects anew with this place in the log.
        func check(_ applied: LogPlace) throws {
            let place = try PostgresEngine.check(connection, target, against: start, applied)
            expectEqual(place, current)
        }

        /// In which the epoch holds; nil if it is over.
        func timeline() throws -> Int64? {
            try connection.run("SELECT timeline FROM hub").integer(0, 0)
        }
    }

    private func run(_ body: (Promotion) async throws -> Void) async throws {
        try await fixture.withNodes(["a"]) { nodes in
            for text in ["1", "2"] { try await nodes[0].publish(radar, text) }
            let connection = try PostgresConnection(testServer())
            try connection.execute("SET search_path = \(fixture.schema), pg_catalog")
            let current = try PostgresPlace.current(connection)
            var former = current
            former.timeline -= 1
            try connection.execute(
                "UPDATE hub SET timeline = \(former.timeline), unreplicated_timeline = NULL"
            )
            let engine = try require(nodes[0].store.engine as? PostgresEngine)
            try await body(
                Promotion(
                    node: nodes[0],
                    connection: connection,
                    target: engine.target,
                    start: PostgresEngine.Start(
                        place: former,
                        claims: try PostgresEngine.claims(connection),
                        epoch: nodes[0].store.epoch
                    ),
                    current: current,
                    applied: try require(engine.sharedLog?.place)
                )
            )
        }
    }

    @Test func nodeThatFindsItsLastBatchVouchesForTheTimeline() async throws {
        try await run { promotion in
            try promotion.check(promotion.applied)
            try expectEqual(promotion.timeline(), promotion.current.timeline)
            try await promotion.node.publish(radar, "3")
        }
    }

    /// Another node that has not seen the lost commit may have vouched already, or not.
    @Test(arguments: ["writer", "attempt", "cursor", "number"], [false, true])
    func nodeThatMissesItsLastBatchEndsTheEpoch(difference: String, isKept: Bool) async throws {
        try await run { promotion in
            if isKept { try promotion.check(promotion.applied) }
            var lost = promotion.applied
            switch difference {
            case "writer": lost.writer.process = "b"
            case "attempt": lost.writer.attempt += 1
            case "cursor": lost.lastCursor -= 1
            default: lost.number += 1
            }
            let error = #expect(throws: StoreError.self) { try promotion.check(lost) }
            expectEqual(error?.code, .gone)
            try expectNil(promotion.timeline())
            // No node goes on in it, also if it only reads, and the next that starts begins another.
            await withCheckedContinuation { looked in
                promotion.node.store.catchUp { looked.resume() }
            }
            expect(promotion.node.store.restartReason != nil)
            let refusal = await #expect(throws: StoreError.self) {
                try await promotion.node.publish(radar, "3")
            }
            expectEqual(refusal?.code, .gone)
            let next = try fixture.open("b")
            expect(next.epoch != promotion.start.epoch)
            try expectEqual(promotion.timeline(), promotion.current.timeline)
            try await next.close()
        }
    }

    /// A node that was away for long can't vouch, and knows of no loss.
    @Test func nodeWhoseLastBatchIsDeletedLeavesTheEpoch() async throws {
        try await run { promotion in
            let number = promotion.applied.number
            try promotion.connection.execute("DELETE FROM batch WHERE number < \(number)")
            var place = promotion.applied
            place.number -= 1
            let error = #expect(throws: StoreError.self) { try promotion.check(place) }
            expectEqual(error?.code, .gone)
            try expectEqual(promotion.timeline(), promotion.start.place.timeline)
        }
    }

    /// The epoch of a node that begins one is not ended by a node that comes later.
    @Test func epochThatWasBegunSinceGoesOn() async throws {
        try await run { promotion in
            let next = try fixture.open("b")
            var lost = promotion.applied
            lost.writer.attempt += 1
            #expect(throws: StoreError.self) { try promotion.check(lost) }
            try expectEqual(promotion.timeline(), promotion.current.timeline)
            try await next.close()
        }
    }
}

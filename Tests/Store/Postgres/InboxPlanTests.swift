import Expectations
import StoreTesting

@testable import Store

@Suite("The plan for rows from SQL", .timeLimit(.minutes(10)))
struct InboxPlanTests {
    private static func row(_ id: Int64) -> InboxRow {
        InboxRow(id: id, channel: radar.name, request: [])
    }

    private static let rows = (1...4).map { row(Int64($0)) }

    /// Of one event and a webhook about it.
    private static func change(_ row: InboxRow, length: Int = 0) -> Change {
        var delivery = delivery("m\(row.id)")
        delivery.eventIndex = 0
        var change = Change(events: [event(radar, "\(row.id)")], deliveries: [delivery])
        change.events[0].payload += [UInt8](repeating: 0x20, count: length)
        return change
    }

    @Test func rowsArePublishedInOneChange() {
        let plan = InboxPlan(Self.rows, bytesMax: 1 << 20) { .publish(Self.change($0)) }
        expectEqual(plan.published, Self.rows)
        expect(plan.refusals.isEmpty)
        let payloads = plan.change.events.map { String(decoding: $0.payload, as: UTF8.self) }
        expectEqual(payloads, ["1", "2", "3", "4"])
        expectEqual(plan.change.deliveries.map(\.messageID), ["m1", "m2", "m3", "m4"])
        expectEqual(plan.change.deliveries.map(\.eventIndex), [0, 1, 2, 3])
        expectEqual(plan.batch, InboxBatch(takenCount: 4, hasDeliveries: true))
    }

    @Test func noRowsMakeNoChange() {
        let plan = InboxPlan([], bytesMax: 1 << 20) { _ in .refuse(reason: "") }
        expectEqual(plan.change, Change())
        expect(plan.batch.isEmpty)
    }

    @Test func refusedRowDoesNotHoldUpTheOthers() {
        let plan = InboxPlan(Self.rows, bytesMax: 1 << 20) { row in
            row.id.isMultiple(of: 2) ? .refuse(reason: "even") : .publish(Self.change(row))
        }
        expectEqual(plan.published.map(\.id), [1, 3])
        expectEqual(plan.refusals.map(\.id), [2, 4])
        expectEqual(plan.refusals.map(\.reason), ["even", "even"])
        expectEqual(plan.change.deliveries.map(\.eventIndex), [0, 1])
        expectEqual(plan.batch.takenCount, 2)
        expect(!plan.batch.isEmpty)
    }

    @Test(arguments: 1...4)
    func rowsWithoutRoomInTheChangeStay(count: Int) {
        let each = Self.change(Self.rows[0]).length
        for (bytesMax, expected) in [(each * count, count), (each * count + each - 1, count)] {
            let plan = InboxPlan(Self.rows, bytesMax: bytesMax) { .publish(Self.change($0)) }
            expectEqual(plan.published, Array(Self.rows.prefix(expected)))
            expect(plan.refusals.isEmpty)
            expect(plan.change.length <= bytesMax)
        }
    }

    /// Rows behind one that stays are not decided about: their order would change.
    @Test func rowsBehindOneThatStaysStayToo() {
        let each = Self.change(Self.rows[0]).length
        let plan = InboxPlan(Self.rows, bytesMax: 2 * each) { row in
            row.id == 4 ? .refuse(reason: "last") : .publish(Self.change(row))
        }
        expectEqual(plan.published.map(\.id), [1, 2])
        expect(plan.refusals.isEmpty)
    }

    @Test func rowThatIsTooBigByItselfIsRefused() {
        let limit = Self.change(Self.rows[0]).length + 10
        let plan = InboxPlan(Self.rows, bytesMax: limit) { row in
            .publish(Self.change(row, length: row.id == 1 ? 11 : 10))
        }
        expectEqual(plan.refusals.map(\.id), [1])
        expectEqual(
            plan.refusals.map(\.reason),
            ["publication and webhooks: \(limit + 1) bytes over limit \(limit)"]
        )
        expectEqual(plan.published.map(\.id), [2])
    }

    @Test func longReasonIsCut() {
        let plan = InboxPlan(Self.rows, bytesMax: 1) { _ in
            .refuse(reason: String(repeating: "a", count: 301))
        }
        expectEqual(plan.refusals.map(\.reason.count), [300, 300, 300, 300])
    }

    // MARK: Outcomes

    @Test func everyOutcomeButARefusalTakesTheRow() {
        var plan = InboxPlan(Self.rows, bytesMax: 1 << 20) { .publish(Self.change($0)) }
        let position = Position(offset: 1, epoch: "e")
        plan.settle([
            .published(
                event(radar, "1").publication(offset: 1, cursor: 1),
                TopicEpoch(store: "e", beginning: 0)
            ),
            .duplicate(position), .refused(TopicRefusal(.namespace, limit: 7)), .stale(position),
        ])
        expectEqual(plan.published.map(\.id), [1, 2, 4])
        expectEqual(plan.refusals.map(\.id), [3])
        expectEqual(plan.refusals.map(\.reason), ["7 topics in memory, the limit"])
        expectEqual(plan.batch.takenCount, 3)
    }
}

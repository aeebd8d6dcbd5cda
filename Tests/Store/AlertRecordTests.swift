import Expectations
import StoreTesting

@testable import Store

@Suite("Alert records", .timeLimit(.minutes(10)))
struct AlertRecordTests {
    private func raised(_ id: String, at seconds: Int = 0) -> AlertRecord {
        AlertRecord(
            id: id,
            rule: "large",
            subject: "orders:1",
            topic: "orders:1:alerts",
            severity: "warning",
            raised: startOfTests + .seconds(seconds),
            headline: "large: total 150\u{0}",
            values: Array(#"{"total":150}"#.utf8)
        )
    }

    private func ended(_ record: AlertRecord, after seconds: Int) -> AlertRecord {
        var record = record
        (record.headline, record.values) = (nil, nil)
        record.ended = record.raised + .seconds(seconds)
        record.reason = "over"
        return record
    }

    private func ids(_ store: HubStore, _ range: AlertRange, limit: Int = 99) async throws
        -> [String]
    {
        try await store.alerts(range, limit: limit).map(\.record.id)
    }

    @Test func recordIsUpdatedByEachEvent() async throws {
        try await withStore { store in
            var record = raised("a")
            record.isSilenced = true
            _ = try await store.commit(Change(alertRecords: [record]))
            try await expectEqual(store.alerts(.all, limit: 9), [StoredAlert(record: record)])
            var escalated = raised("a")
            escalated.severity = "critical"
            escalated.headline = "large: total 500"
            _ = try await store.commit(Change(alertRecords: [escalated]))
            escalated.isSilenced = true
            try await expectEqual(store.alerts(.all, limit: 9), [StoredAlert(record: escalated)])
            var end = ended(raised("a"), after: 60)
            end.severity = "critical"
            _ = try await store.commit(Change(alertRecords: [end]))
            (end.headline, end.values) = (escalated.headline, escalated.values)
            end.isSilenced = true
            try await expectEqual(store.alerts(.all, limit: 9), [StoredAlert(record: end)])
        }
    }

    @Test func rangesAreInTheirOrders() async throws {
        try await withStore { store in
            // The first to be raised is the last to end.
            let records = [
                ended(raised("a"), after: 100), ended(raised("b", at: 10), after: 20),
                raised("c", at: 20), raised("d", at: 30),
            ]
            _ = try await store.commit(Change(alertRecords: records))
            try await expectEqual(ids(store, .all), ["d", "c", "b", "a"])
            try await expectEqual(ids(store, .active), ["d", "c"])
            try await expectEqual(ids(store, .past), ["a", "b"])
            try await expectEqual(ids(store, .all, limit: 1), ["d"])
        }
    }

    @Test func acknowledgementIsKeptWithTheAlert() async throws {
        try await withStore { store in
            _ = try await store.commit(Change(alertRecords: [raised("a")]))
            let seen = AlertAcknowledgement(time: startOfTests, by: "ops", note: "on it\nå")
            let alert = try await store.acknowledgeAlert("a", seen)
            expectEqual(alert, StoredAlert(record: raised("a"), acknowledgement: seen))
            _ = try await store.commit(Change(alertRecords: [ended(raised("a"), after: 1)]))
            try await expectEqual(store.alerts(.past, limit: 9).map(\.acknowledgement), [seen])
            let other = AlertAcknowledgement(time: startOfTests + .seconds(1), by: "night")
            try await expectEqual(store.acknowledgeAlert("a", other)?.acknowledgement, other)
            try await expectNil(store.acknowledgeAlert("b", seen))
        }
    }

    @Test func recordsEndWithTheHistoryOfTheirTopic() async throws {
        try await withStore { store in
            var other = raised("b")
            other.topic = "orders:2:alerts"
            _ = try await store.commit(Change(alertRecords: [raised("a"), other]))
            let topic = Topic(trusted: "orders:1:alerts")
            let change = Change(alertRecords: [raised("c")], removedHistories: [topic])
            _ = try await store.commit(change)
            try await expectEqual(ids(store, .all), ["b"])
        }
    }

    @Test func recordsWithoutAnActiveAlertAreEnded() async throws {
        try await withStore { store in
            let records = [raised("a"), raised("b"), ended(raised("c"), after: 5)]
            _ = try await store.commit(Change(alertRecords: records))
            let now = startOfTests + .seconds(60)
            try await store.endAlertRecords(except: ["a"], now: now)
            try await expectEqual(ids(store, .active), ["a"])
            let past = try await store.alerts(.past, limit: 9).map(\.record)
            expectEqual(past.map(\.id), ["b", "c"])
            expect(past[0].ended == now && past[0].reason == "withdrawn")
            expectEqual(past[1].reason, "over", "it is unchanged")
        }
    }

    @Test func oldRecordsAreDeletedAndActiveOnesAreKept() async throws {
        try await withStore { store in
            let records = [
                raised("a"), ended(raised("b"), after: 9), ended(raised("c"), after: 10),
            ]
            _ = try await store.commit(Change(alertRecords: records))
            try await store.trimAlertRecords(endedBefore: startOfTests + .seconds(10))
            try await expectEqual(Set(ids(store, .all)), ["a", "c"])
        }
    }

    @Test func onlyTheLastToEndAreKept() async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: 7)) { store in
            let max = StoredAlert.keptMax
            let records = (0..<max + 20).map { ended(raised("\($0)"), after: $0) }
            _ = try await store.commit(Change(alertRecords: records + [raised("active")]))
            try await store.trimAlertRecords(endedBefore: startOfTests)
            let past = try await ids(store, .past, limit: max + 20)
            expectEqual(past, (20..<max + 20).reversed().map { "\($0)" })
            try await expectEqual(ids(store, .active), ["active"])
        }
    }
}

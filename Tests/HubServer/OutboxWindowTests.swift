import Testing
import Timekeeping
import Webhooks

@testable import HubServer
@testable import Store

@Suite("Outbox window: what is kept between readings of the store")
struct OutboxWindowTests {
    private let now = Timestamp(milliseconds: 1_766_314_800_000)

    private func row(_ id: Int64, endpoint: String = "a") -> StoredDelivery {
        StoredDelivery(
            id: id,
            endpoint: endpoint,
            messageID: "\(id)",
            eventType: "a",
            subject: nil,
            body: [],
            createdAt: now,
            status: .pending(nextAttempt: now),
            attempts: 0,
            statusCode: nil,
            state: []
        )
    }

    private func filled(_ ids: ClosedRange<Int64>, inFlight: Set<Int64> = []) -> OutboxWindow {
        var window = OutboxWindow(rowsPerEndpoint: 8)
        fill(&window, ids, inFlight: inFlight)
        return window
    }

    private func fill(
        _ window: inout OutboxWindow,
        _ ids: ClosedRange<Int64>,
        inFlight: Set<Int64> = []
    ) {
        window.fill(ids.map { row($0) }, inFlight: inFlight) { Delivery(now: $0.createdAt) }
    }

    private func take(_ window: inout OutboxWindow) -> [Int64] {
        var rates = EndpointRates()
        return window.take(now: now, rates: &rates) { _ in .free }.due.map(\.row.id)
    }

    /// Delivered, or to be tried again.
    private func ended(isDelivered: Bool) -> Delivery {
        var delivery = Delivery(now: now)
        _ = delivery.finish(
            .response(status: isDelivered ? 200 : 500, retryAfter: nil),
            schedule: .standard,
            now: now,
            random: 0.5
        )
        return delivery
    }

    @Test func rowIsTakenOnceAndAgainAfterItsAttemptFailed() {
        var window = filled(1...2)
        #expect(take(&window) == [1, 2])
        #expect(take(&window) == [])
        window.end(1, ended(isDelivered: true))
        window.end(2, ended(isDelivered: false))
        var rates = EndpointRates()
        let (due, wakeAt) = window.take(now: now, rates: &rates) { _ in .free }
        #expect(due.isEmpty)
        #expect(wakeAt == now + .seconds(5))
        let later = window.take(now: now + .seconds(5), rates: &rates) { _ in .free }.due
        #expect(later.map(\.row.id) == [2])
        #expect(later.map(\.delivery.attempts) == [1])
    }

    /// The store was asked before the attempt was recorded, and answers afterwards.
    @Test func rowWhoseAttemptEndsWhileTheStoreIsReadIsNotSentAgain() {
        var window = filled(1...2)
        #expect(take(&window) == [1, 2])
        window.beginReading()
        window.end(1, ended(isDelivered: true))
        window.end(2, ended(isDelivered: false))
        fill(&window, 1...3)
        #expect(take(&window) == [3])
    }

    @Test func rowInFlightIsNotTakenFromAnotherReading() {
        var window = filled(1...3, inFlight: [2])
        #expect(take(&window) == [1, 3])
    }

    @Test func windowRunsLowOnlyWhereTheStoreMayHaveMore() {
        var window = filled(1...3)
        #expect(!window.isRunningLow, "that was all there is")
        fill(&window, 1...8)
        #expect(!window.isRunningLow)
        for id in Int64(1)...6 { window.end(id, ended(isDelivered: true)) }
        #expect(!window.isRunningLow)
        window.end(7, ended(isDelivered: true))
        #expect(window.isRunningLow)
    }
}

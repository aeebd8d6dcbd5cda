import Expectations
import HubTesting

@testable import Duties
@testable import Store

@Suite("Outbox window: what is kept between readings of the store", .timeLimit(.minutes(10)))
struct OutboxWindowTests {
    private let now = Timestamp(milliseconds: 1_766_314_800_000)

    private func row(
        _ id: Int64,
        endpoint: String = "a",
        subject: String? = nil
    ) -> StoredDelivery {
        StoredDelivery(
            id: id,
            endpoint: endpoint,
            messageID: "\(id)",
            eventType: "a",
            subject: subject,
            body: [],
            createdAt: now,
            status: .pending(nextAttempt: now),
            attempts: 0,
            statusCode: nil,
            state: []
        )
    }

    private func filled(_ ids: ClosedRange<Int64>) -> OutboxWindow {
        var window = OutboxWindow(rowsPerEndpoint: 8)
        fill(&window, ids)
        return window
    }

    private func fill(_ window: inout OutboxWindow, _ ids: ClosedRange<Int64>) {
        fill(&window, "a", ids.map { row($0) })
    }

    private func fill(_ window: inout OutboxWindow, _ name: String, _ rows: [StoredDelivery]) {
        window.fill([name], rows) { Delivery(now: $0.createdAt) }
    }

    private func take(
        _ window: inout OutboxWindow,
        pace: EndpointHealth.Pace = .free
    ) -> [Int64] {
        var rates = EndpointRates()
        return window.take(now: now, rates: &rates) { _ in pace }.due.map(\.row.id)
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
        expectEqual(take(&window), [1, 2])
        expectEqual(take(&window), [])
        window.end(1, ended(isDelivered: true))
        window.end(2, ended(isDelivered: false))
        var rates = EndpointRates()
        let (due, wakeAt) = window.take(now: now, rates: &rates) { _ in .free }
        expect(due.isEmpty)
        expectEqual(wakeAt, now + .seconds(5))
        let later = window.take(now: now + .seconds(5), rates: &rates) { _ in .free }.due
        expectEqual(later.map(\.row.id), [2])
        expectEqual(later.map(\.delivery.attempts), [1])
    }

    /// The store was asked before the attempt was recorded, and answers afterwards.
    @Test func rowWhoseAttemptEndsWhileTheStoreIsReadIsNotSentAgain() {
        var window = filled(1...2)
        expectEqual(take(&window), [1, 2])
        window.beginReading()
        window.end(1, ended(isDelivered: true))
        window.end(2, ended(isDelivered: false))
        fill(&window, 1...3)
        expectEqual(take(&window), [3])
    }

    @Test func rowInFlightIsNotTakenFromAnotherReading() {
        var window = filled(1...1)
        expectEqual(take(&window), [1])
        fill(&window, 1...3)
        expectEqual(take(&window), [2, 3])
        expectEqual(window.inFlight, [1, 2, 3])
    }

    @Test func windowRunsLowOnlyWhereTheStoreMayHaveMore() {
        var window = filled(1...3)
        expect(window.runningLow.isEmpty, "that was all there is")
        expect(window.needsReading("a"), "what is added is next")
        expect(window.needsReading("b"), "it was never read")
        fill(&window, 1...8)
        expect(window.runningLow.isEmpty)
        expect(!window.needsReading("a"), "what is added is behind")
        for id in Int64(1)...6 { window.end(id, ended(isDelivered: true)) }
        expect(window.runningLow.isEmpty)
        window.end(7, ended(isDelivered: true))
        expectEqual(window.runningLow, ["a"])
        expect(window.needsReading("a"))
    }

    // MARK: What is erased

    @Test func rowThatWasErasedIsNotTakenAndHoldsNothingUp() {
        var window = OutboxWindow()
        fill(&window, "a", (1...3).map { row($0, subject: "s") })
        window.withdraw(1, now: now)
        window.withdraw(99, now: now)
        expectEqual(take(&window), [2])
    }

    /// The store was asked before the row was erased, and answers afterwards.
    @Test func rowThatIsErasedWhileTheStoreIsReadIsNotTaken() {
        var window = filled(1...2)
        window.beginReading()
        window.withdraw(1, now: now)
        window.withdraw(3, now: now)
        fill(&window, 1...4)
        expectEqual(take(&window), [2, 4])
    }

    @Test func whatComesBehindAnErasedRowWaitsForTheAttemptThatIsUnderWay() {
        var window = OutboxWindow()
        fill(&window, "a", [row(1, subject: "s"), row(2, subject: "s")])
        expectEqual(take(&window), [1])
        window.withdraw(1, now: now)
        expectEqual(take(&window), [])
        // The store has it no longer.
        fill(&window, "a", [row(2, subject: "s"), row(3, subject: "t")])
        expectEqual(take(&window), [3])
        window.end(1, ended(isDelivered: true))
        expectEqual(take(&window), [2])
    }

    // MARK: Endpoints

    @Test func endpointThatIsRemovedIsNotSentToAndItsAttemptsCountUntilTheyEnd() {
        var window = OutboxWindow(
            limits: OutboxLimits(inFlightMax: 2, inFlightPerEndpointMax: 1)
        )
        for (id, name) in [(Int64(1), "a"), (2, "b"), (4, "c")] {
            fill(&window, name, [row(id, endpoint: name), row(id + 10, endpoint: name)])
        }
        expectEqual(take(&window), [1, 2])
        window.remove("a")
        window.remove("c")
        expectEqual(take(&window), [], "two are under way")
        window.end(1, ended(isDelivered: false))
        window.end(2, ended(isDelivered: true))
        expectEqual(take(&window), [12])
        // It comes back.
        fill(&window, "a", [row(1), row(11)])
        expectEqual(take(&window), [1])
    }

    @Test func paceIsAskedAgainWhenItHasChanged() {
        var window = filled(1...1)
        expectEqual(take(&window, pace: .wait(until: now + .seconds(9))), [])
        expectEqual(take(&window), [], "nobody said so")
        window.touch("a")
        expectEqual(take(&window), [1])
    }

    @Test func clockThatWasPutBackHasEverythingPlannedAnew() {
        var window = filled(1...1)
        var rates = EndpointRates()
        let far = now + .seconds(3600)
        var taken = window.take(now: far, rates: &rates) { _ in .wait(until: far + .seconds(1)) }
        expect(taken.due.isEmpty)
        expectEqual(taken.wakeAt, far + .seconds(1))
        taken = window.take(now: now, rates: &rates) { _ in .free }
        expectEqual(taken.due.map(\.row.id), [1])
    }
}

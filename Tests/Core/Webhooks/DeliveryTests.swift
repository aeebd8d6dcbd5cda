import Core
import Expectations
import Foundation

@Suite("Retry schedule", .timeLimit(.minutes(10)))
struct RetryScheduleTests {
    @Test func standardScheduleLasts75HoursAnd35Minutes() {
        let delays = RetrySchedule.standard.delays
        expectEqual(delays.count, 10)
        let total: Duration = delays.reduce(.zero, +)
        let expected = Duration.seconds(272_105)
        expectEqual(total, expected, "75 h 35 min and the first 5 s")
        expectEqual(
            delays.map(\.inSeconds),
            [0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]
        )
    }

    @Test(arguments: [(0.0, 240), (0.25, 270), (0.5, 300), (0.75, 330)])
    func delayVariesByAFifth(random: Double, seconds: Int) {
        let delay = RetrySchedule.standard.delay(afterAttempts: 2, random: random)
        expectEqual(delay?.wholeMilliseconds, Int64(seconds) * 1000)
    }

    @Test func firstAttemptIsMadeAtOnce() {
        expectEqual(RetrySchedule.standard.delay(afterAttempts: 0, random: 0.9), .zero)
    }

    @Test func scheduleEndsAfterItsLastAttempt() {
        expectEqual(RetrySchedule.standard.delay(afterAttempts: 9, random: 0.5), .seconds(86_400))
        expectNil(RetrySchedule.standard.delay(afterAttempts: 10, random: 0.5))
        expectNil(RetrySchedule.standard.delay(afterAttempts: 11, random: 0.5))
    }
}

@Suite("Delivery", .timeLimit(.minutes(10)))
struct DeliveryTests {
    private func finish(
        _ delivery: inout Delivery,
        _ result: DeliveryResult,
        random: Double = 0.5
    ) -> DeliveryOutcome {
        delivery.finish(result, schedule: .standard, now: evening, random: random)
    }

    /// What follows from `result` as the first attempt.
    private func outcome(_ result: DeliveryResult) -> DeliveryOutcome {
        var delivery = Delivery(now: evening)
        return finish(&delivery, result)
    }

    private func outcome(status: Int, retryAfter: String? = nil) -> DeliveryOutcome {
        outcome(.response(status: status, retryAfter: retryAfter))
    }

    @Test func deliveryIsDueAtOnce() {
        let delivery = Delivery(now: evening)
        expectEqual(delivery.state, .pending(nextAttempt: evening))
        expectEqual(delivery.nextAttempt, evening)
        expectEqual(delivery.attempts, 0)
        expectNil(delivery.lastStatus)
    }

    @Test(arguments: [200, 201, 202, 204, 299])
    func anyStatusOf2xxIsASuccess(status: Int) {
        var delivery = Delivery(now: evening)
        expectEqual(finish(&delivery, .response(status: status, retryAfter: "60")), .delivered)
        expectEqual(delivery.state, .delivered(at: evening))
        expectNil(delivery.nextAttempt)
        expectEqual(delivery.attempts, 1)
        expectEqual(delivery.lastStatus, status)
    }

    @Test(arguments: [
        100, 199, 300, 301, 302, 307, 308, 304, 400, 401, 403, 404, 409, 500, 503, 0, -1,
    ])
    func anyOtherStatusIsTriedAgain(status: Int) {
        var delivery = Delivery(now: evening)
        expectEqual(
            finish(&delivery, .response(status: status, retryAfter: nil)),
            .retry(at: after(5))
        )
        expectEqual(delivery.state, .pending(nextAttempt: after(5)))
        expectEqual(delivery.lastStatus, status)
    }

    @Test func goneSwitchesTheEndpointOff() {
        var delivery = Delivery(now: evening)
        expectEqual(finish(&delivery, .response(status: 410, retryAfter: "60")), .disableEndpoint)
        expectEqual(delivery.state, .gone(at: evening))
        expectNil(delivery.nextAttempt)
        expectEqual(delivery.lastStatus, 410)
    }

    @Test func failureWithoutAResponseIsTriedAgain() {
        expectEqual(outcome(.failed(.connectFailed("refused"))), .retry(at: after(5)))
        expectEqual(outcome(.failed(.noAnswer("nonsense"))), .retry(at: after(5)))
        expectEqual(outcome(.failed(.notAllowed("10.0.0.1"))), .retry(at: after(5)))
    }

    @Test func failureWithoutAResponseHasNoStatus() {
        var delivery = Delivery(now: evening)
        _ = finish(&delivery, .response(status: 500, retryAfter: nil))
        _ = finish(&delivery, .failed(.connectFailed("refused")))
        expectNil(delivery.lastStatus)
        expectEqual(delivery.attempts, 2)
    }

    @Test(arguments: [429, 502, 504])
    func overloadWaitsAtLeastAMinute(status: Int) {
        expectEqual(outcome(status: status), .retry(at: after(60)))
        expectEqual(outcome(status: status, retryAfter: "30"), .retry(at: after(60)))
        expectEqual(outcome(status: status, retryAfter: "90"), .retry(at: after(90)))
    }

    @Test func timeOutWaitsAtLeastAMinute() {
        expectEqual(outcome(.failed(.timedOut(after: .seconds(20)))), .retry(at: after(60)))
    }

    @Test func overloadDoesNotShortenTheSchedule() {
        var delivery = Delivery(now: evening)
        _ = finish(&delivery, .response(status: 500, retryAfter: nil))
        expectEqual(
            finish(&delivery, .response(status: 429, retryAfter: nil)),
            .retry(at: after(300))
        )
    }

    @Test func retryAfterIsAFloorInSecondsOrAsADate() {
        expectEqual(outcome(status: 503, retryAfter: "120"), .retry(at: after(120)))
        expectEqual(outcome(status: 503, retryAfter: "2"), .retry(at: after(5)))
        expectEqual(outcome(status: 503, retryAfter: after(120).httpDate), .retry(at: after(120)))
        expectEqual(outcome(status: 503, retryAfter: after(-120).httpDate), .retry(at: after(5)))
    }

    @Test(arguments: ["", "soon", "-5", "1.5"])
    func unreadableRetryAfterIsIgnored(text: String) {
        expectEqual(outcome(status: 503, retryAfter: text), .retry(at: after(5)))
    }

    @Test(arguments: ["86400", "86401", "9999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func retryAfterIsCappedAtADay(text: String) {
        expectEqual(outcome(status: 503, retryAfter: text), .retry(at: after(86_400)))
    }

    @Test func deliveryIsExhaustedAfterTenAttempts() {
        var delivery = Delivery(now: evening)
        for attempt in 1...9 {
            let outcome = finish(&delivery, .response(status: 500, retryAfter: nil))
            let delay = RetrySchedule.standard.delays[attempt]
            expectEqual(outcome, .retry(at: evening + delay))
        }
        // What the receiver asks for does not add an attempt.
        expectEqual(finish(&delivery, .response(status: 503, retryAfter: "60")), .exhausted)
        expectEqual(delivery.state, .exhausted(at: evening))
        expectEqual(delivery.attempts, 10)
        expectNil(delivery.nextAttempt)
    }

    @Test func lastAttemptCanStillSucceed() {
        var delivery = Delivery(now: evening)
        for _ in 1...9 { _ = finish(&delivery, .failed(.connectFailed("refused"))) }
        expectEqual(finish(&delivery, .response(status: 204, retryAfter: nil)), .delivered)
    }

    @Test func lastAttemptCanStillBeGone() {
        var delivery = Delivery(now: evening)
        for _ in 1...9 { _ = finish(&delivery, .failed(.connectFailed("refused"))) }
        expectEqual(finish(&delivery, .response(status: 410, retryAfter: nil)), .disableEndpoint)
    }

    /// With one attempt in the schedule, 500 exhausts the delivery.
    @Test(arguments: [204, 410, 500])
    func finishedDeliveryCannotBeFinishedAgain(status: Int) async {
        await #expect(processExitsWith: .success) { [status] in
            finishOnceOrTwice(status: status, times: 1)
        }
        await #expect(processExitsWith: .failure) { [status] in
            finishOnceOrTwice(status: status, times: 2)
        }
    }

    @Test func droppedDeliveryIsOverAndKeepsWhatCameOfItsAttempts() {
        var delivery = Delivery(now: evening)
        _ = delivery.finish(
            .response(status: 500, retryAfter: nil),
            schedule: .standard,
            now: evening,
            random: 0.5
        )
        delivery.drop(now: after(60))
        expectEqual(delivery.state, .dropped(at: after(60)))
        expectNil(delivery.nextAttempt)
        expectEqual(delivery.attempts, 1)
        expectEqual(delivery.lastStatus, 500)
    }

    @Test func finishedDeliveryCannotBeDropped() async {
        await #expect(processExitsWith: .failure) {
            var delivery = Delivery(now: evening)
            delivery.drop(now: evening)
            delivery.drop(now: evening)
        }
    }

    @Test func failuresReadAsOneSentence() {
        expectEqual(
            "\(DeliveryFailure.timedOut(after: .seconds(20)))",
            "no response within 20.0 seconds"
        )
        expectEqual("\(DeliveryFailure.connectFailed("refused"))", "cannot connect: refused")
        expectEqual("\(DeliveryFailure.noAnswer("the connection ended"))", "the connection ended")
        expectEqual("\(DeliveryFailure.notAllowed("10.0.0.1"))", "not allowed: 10.0.0.1")
    }

    /// These texts stand in databases.
    @Test(arguments: [
        #"{"attempts":0,"state":{"pending":{"nextAttempt":1766340000000}}}"#,
        #"{"attempts":2,"lastStatus":503,"state":{"pending":{"nextAttempt":1766340000000}}}"#,
        #"{"attempts":1,"lastStatus":204,"state":{"delivered":{"at":1766340000000}}}"#,
        #"{"attempts":10,"state":{"exhausted":{"at":1766340000000}}}"#,
        #"{"attempts":1,"lastStatus":410,"state":{"gone":{"at":1766340000000}}}"#,
        #"{"attempts":3,"lastStatus":500,"state":{"dropped":{"at":1766340000000}}}"#,
    ])
    func storedTextIsReadAndWritten(text: String) throws {
        let delivery = try JSONDecoder().decode(Delivery.self, from: Data(text.utf8))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        expectEqual(String(decoding: try encoder.encode(delivery), as: UTF8.self), text)
    }
}

private func finishOnceOrTwice(status: Int, times: Int) {
    let once = RetrySchedule(delays: [.zero], jitter: 0)
    var delivery = Delivery(now: evening)
    for _ in 0..<times {
        _ = delivery.finish(
            .response(status: status, retryAfter: nil),
            schedule: once,
            now: evening,
            random: 0
        )
    }
}

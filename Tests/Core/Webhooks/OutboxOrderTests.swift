import Expectations

@testable import Core

@Suite("Order of the outbox", .timeLimit(.minutes(10)))
struct OutboxOrderTests {
    private func row(
        _ id: Int64,
        _ endpoint: String = "a",
        _ subject: String? = "x",
        due: Int64 = 0,
        isInFlight: Bool = false
    ) -> OutboxRow {
        OutboxRow(
            id: id,
            endpoint: endpoint,
            subject: subject,
            delivery: Delivery(now: after(due)),
            isInFlight: isInFlight
        )
    }

    private func finished(_ id: Int64, status: Int, schedule: RetrySchedule = .standard)
        -> OutboxRow
    {
        var row = row(id)
        _ = row.delivery.finish(
            .response(status: status, retryAfter: nil),
            schedule: schedule,
            now: evening,
            random: 0.5
        )
        return row
    }

    @Test func emptyOutboxHasNothingToDo() {
        expectEqual(nextDue([], now: evening), OutboxPlan(send: [], wakeAt: nil))
    }

    @Test func oneRowOfASubjectIsSentAtATime() {
        let plan = nextDue([row(1), row(2), row(3)], now: evening)
        expectEqual(plan, OutboxPlan(send: [1], wakeAt: nil))
    }

    @Test func subjectsAndEndpointsDoNotWaitForEachOther() {
        let rows = [row(1, "a", "x"), row(2, "a", "y"), row(3, "b", "x"), row(4, "a", "x")]
        expectEqual(nextDue(rows, now: evening).send, [1, 2, 3])
    }

    @Test func rowWaitsForAnEarlierOneInFlight() {
        let rows = [row(1, isInFlight: true), row(2)]
        expectEqual(nextDue(rows, now: evening), OutboxPlan(send: [], wakeAt: nil))
    }

    @Test func rowWaitsForAnEarlierOneThatWillBeTriedAgain() {
        let rows = [row(1, due: 300), row(2)]
        expectEqual(nextDue(rows, now: evening), OutboxPlan(send: [], wakeAt: after(300)))
        expectEqual(nextDue(rows, now: after(299)).send, [])
        expectEqual(nextDue(rows, now: after(300)), OutboxPlan(send: [1], wakeAt: nil))
    }

    @Test func rowFollowsWhenTheEarlierOneIsDelivered() {
        expectEqual(nextDue([finished(1, status: 204), row(2)], now: evening).send, [2])
    }

    @Test func rowFollowsWhenTheEarlierOneIsExhausted() {
        let once = RetrySchedule(delays: [.zero], jitter: 0)
        expectEqual(
            nextDue([finished(1, status: 500, schedule: once), row(2)], now: evening).send,
            [2]
        )
    }

    @Test func rowFollowsWhenTheEarlierOneIsGone() {
        expectEqual(nextDue([finished(1, status: 410), row(2)], now: evening).send, [2])
    }

    @Test func rowsWithoutASubjectWaitForNone() {
        let rows = [row(1, "a", nil, due: 300), row(2, "a", nil), row(3, "a", nil)]
        expectEqual(nextDue(rows, now: evening), OutboxPlan(send: [2, 3], wakeAt: after(300)))
    }

    @Test func emptySubjectIsASubject() {
        expectEqual(nextDue([row(1, "a", ""), row(2, "a", "")], now: evening).send, [1])
    }

    @Test func planWakesForTheRowThatIsDueFirst() {
        let rows = [
            row(1, "a", "x", due: 300), row(2, "a", "y", due: 60), row(3, "a", "y", due: 5),
        ]
        expectEqual(nextDue(rows, now: evening).wakeAt, after(60), "row 3 waits for row 2")
    }

    @Test func endpointIsNotFlooded() {
        let rows = (1...10).map { row($0, "a", "subject \($0)") } + [row(11, "b")]
        expectEqual(nextDue(rows, now: evening).send, [1, 2, 3, 4, 11])
    }

    @Test func attemptsUnderWayCountForTheirEndpoint() {
        let rows = [row(1, "a", "x"), row(2, "a", "y"), row(3, "a", "z", isInFlight: true)]
        let limits = OutboxLimits(inFlightMax: 8, inFlightPerEndpointMax: 2)
        expectEqual(nextDue(rows, now: evening, limits: limits).send, [1])
    }

    @Test func attemptsUnderWayAreLimitedOverall() {
        let rows = (1...10).map { row($0, "endpoint \($0)", isInFlight: $0 == 10) }
        let limits = OutboxLimits(inFlightMax: 4, inFlightPerEndpointMax: 2)
        expectEqual(nextDue(rows, now: evening, limits: limits).send, [1, 2, 3])
    }

    /// Whatever falls due meanwhile: the end of an attempt is the next thing to plan for.
    @Test func fullPlanWaitsForTheEndOfAnAttemptAlone() {
        let rows = [row(1, "a"), row(2, "b"), row(3, "c", due: 60), row(4, "d")]
        let limits = OutboxLimits(inFlightMax: 2, inFlightPerEndpointMax: 2)
        expectEqual(nextDue(rows, now: evening, limits: limits), OutboxPlan(send: [1, 2]))
        let under = [row(1, "a", isInFlight: true), row(2, "b", isInFlight: true), rows[2]]
        expectEqual(nextDue(under, now: evening, limits: limits), OutboxPlan(send: []))
        let oneLess = nextDue(Array(under.dropFirst()), now: evening, limits: limits)
        expectEqual(oneLess, OutboxPlan(send: [], wakeAt: after(60)))
    }

    // MARK: Rates

    @Test func endpointGetsNoMoreThanItsRateAndTheRestWaitsInOrder() {
        var rates = EndpointRates()
        rates.set(["a": 2])
        let rows = (1...3).map { row($0, "a", "subject \($0)") } + [row(4, "b")]
        let first = nextDue(rows, now: evening, rates: rates)
        expectEqual(first.send, [1, 2, 4], "others do not wait")
        expectEqual(first.wakeAt, evening + .milliseconds(500))
        let again = nextDue([rows[2]], now: evening, rates: first.rates)
        expectEqual(again.send, [])
        let later = nextDue([rows[2]], now: evening + .milliseconds(500), rates: again.rates)
        expectEqual(later.send, [3])
        expectNil(later.wakeAt)
    }

    @Test func rowThatIsNotSentForAnotherReasonTakesNothingOfTheRate() {
        var rates = EndpointRates()
        rates.set(["a": 2])
        let rows = [row(1, "a", "x", isInFlight: true), row(2, "a", "y"), row(3, "a", "z")]
        let limits = OutboxLimits(inFlightMax: 8, inFlightPerEndpointMax: 1)
        let plan = nextDue(rows, now: evening, limits: limits, rates: rates)
        expectEqual(plan.send, [])
        expectEqual(plan.rates, rates)
        let waiting = nextDue(rows, now: evening, rates: rates) { _ in .wait(until: after(60)) }
        expectEqual(waiting.rates, rates)
    }

    @Test func rowsOutOfOrderTrap() async {
        await #expect(processExitsWith: .failure) {
            let rows = [2, 1].map {
                OutboxRow(
                    id: $0,
                    endpoint: "a",
                    subject: "x",
                    delivery: Delivery(now: evening)
                )
            }
            _ = nextDue(rows, now: evening)
        }
    }

    /// Delivers a whole outbox to receivers that fail at random.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func everySubjectArrivesInOrderOnce(seed: UInt64) {
        var random = Randomness(state: seed)
        var rows = (1...60).map { id in
            row(Int64(id), "endpoint \(random.below(3))", "subject \(random.below(3))")
        }
        var now = evening
        var delivered: [String: [Int64]] = [:]
        var turns = 0
        while rows.contains(where: { $0.delivery.nextAttempt != nil }), turns < 10_000 {
            turns += 1
            let plan = nextDue(rows, now: now)
            for id in plan.send { rows[Int(id) - 1].isInFlight = true }
            let inFlight = rows.filter(\.isInFlight)
            guard !inFlight.isEmpty else {
                guard let wakeAt = plan.wakeAt else { break }
                expect(wakeAt > now, "seed \(seed)")
                now = max(now, wakeAt)
                continue
            }
            let index = Int(inFlight[random.below(inFlight.count)].id) - 1
            rows[index].isInFlight = false
            let outcome = rows[index].delivery.finish(
                .response(status: random.below(2) == 0 ? 200 : 500, retryAfter: nil),
                schedule: .standard,
                now: now,
                random: random.unit()
            )
            if outcome == .delivered {
                delivered[rows[index].endpoint + rows[index].subject!, default: []]
                    .append(rows[index].id)
            }
        }
        expect(rows.allSatisfy { $0.delivery.nextAttempt == nil }, "seed \(seed): stuck")
        for (lane, ids) in delivered {
            expectEqual(ids, ids.sorted(), "seed \(seed): \(lane)")
            expectEqual(Set(ids).count, ids.count, "seed \(seed): \(lane)")
        }
    }
}

/// A linear congruential generator, so that a run can be repeated.
private struct Randomness {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    mutating func unit() -> Double {
        Double(below(1 << 20)) / Double(1 << 20)
    }
}

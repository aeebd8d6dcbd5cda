import Activity
import Expectations

@Suite("Watch events: what becomes of them, and who is told", .timeLimit(.minutes(10)))
struct WatchEventTests {
    @Test(
        arguments: [
            (.started, nil, .started, .started),
            (.started, .started, .started, nil),
            (.started, .paused, .started, nil),
            (.started, .completed, .started, .started),
            (.progress, nil, .started, nil),
            (.progress, .started, .started, nil),
            (.progress, .paused, .started, nil),
            (.progress, .completed, .completed, nil),
            (.paused, nil, .paused, nil),
            (.paused, .started, .paused, nil),
            (.paused, .paused, .paused, nil),
            (.paused, .completed, .completed, nil),
            (.completed, nil, .completed, .watched),
            (.completed, .started, .completed, .watched),
            (.completed, .paused, .completed, .watched),
            (.completed, .completed, .completed, nil),
        ] as [(WatchEvent, WatchStatus?, WatchStatus, ActivityType?)]
    )
    func eventHasItsOutcomeAfterEveryStatus(
        event: WatchEvent,
        before: WatchStatus?,
        after: WatchStatus,
        told: ActivityType?
    ) {
        let outcome = event.outcome(after: before)
        expectEqual(outcome.status, after)
        expectEqual(outcome.activity, told)
    }

    @Test(arguments: WatchEvent.allCases, [nil, .started, .completed, .paused] as [WatchStatus?])
    func eventThatIsSentAgainIsNotToldAgain(event: WatchEvent, before: WatchStatus?) {
        let first = event.outcome(after: before)
        let second = event.outcome(after: first.status)
        expectEqual(second.status, first.status)
        expectNil(second.activity)
    }
}

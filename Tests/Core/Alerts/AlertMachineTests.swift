import Core
import Expectations
import Foundation

@Suite("Alert machine: transitions", .timeLimit(.minutes(10)))
struct AlertMachineTests {
    @Test func idleStaysIdleWhileTheConditionIsNotMet() {
        var machine = AlertMachine(rule: rule(hold: 300))
        expectNil(machine.score(69, at: 0))
        expectEqual(machine.state, .idle)
        expectNil(machine.nextDeadline)
    }

    @Test func conditionWithoutAHoldRaisesAtOnce() {
        var machine = AlertMachine(rule: rule())
        expectEqual(machine.score(70, at: 5), .raised(raised(5)))
        expectEqual(machine.state, .raised(alert: raised(5), keepUntil: nil))
        expectEqual(machine.raisedAlert, raised(5))
        expectNil(machine.nextDeadline)
    }

    @Test func conditionIsPendingUntilItHasHeld() {
        var machine = AlertMachine(rule: rule(hold: 300))
        expectNil(machine.score(70, at: 0))
        expectEqual(machine.state, .pending(since: evening))
        expectEqual(machine.nextDeadline, after(300))
        expectNil(machine.score(80, at: 299))
        expectEqual(machine.nextDeadline, after(300))
        expectEqual(machine.score(70, at: 300), .raised(raised(300)))
    }

    @Test func interruptionBeginsTheHoldAgain() {
        var machine = AlertMachine(rule: rule(hold: 300))
        expectNil(machine.score(70, at: 0))
        expectNil(machine.score(69, at: 200))
        expectEqual(machine.state, .idle)
        expectNil(machine.score(70, at: 250))
        expectNil(machine.score(70, at: 549))
        expectEqual(machine.score(70, at: 550), .raised(raised(550)))
    }

    @Test func raisedAlertIsNotRaisedAgain() {
        var machine = AlertMachine(rule: rule())
        _ = machine.score(70, at: 0)
        for second in 1...100 {
            expectNil(machine.score(90, at: Int64(second)))
        }
        expectEqual(machine.raisedAlert, raised(0))
    }

    @Test func alertWithoutAnUntilClearsWhenTheConditionEnds() {
        var machine = AlertMachine(rule: rule())
        _ = machine.score(70, at: 0)
        expectEqual(
            machine.score(69.9, at: 60),
            .cleared(raised(0), after: .seconds(60), because: .over)
        )
        expectEqual(machine.state, .idle)
    }

    @Test func alertStandsBetweenUntilAndWhen() {
        var machine = AlertMachine(rule: rule(until: "score < 65"))
        _ = machine.score(70, at: 0)
        expectNil(machine.score(65, at: 10))
        expectEqual(machine.raisedAlert, raised(0))
        expectEqual(
            machine.score(64.9, at: 20),
            .cleared(raised(0), after: .seconds(20), because: .over)
        )
        expectNil(machine.score(69, at: 30), "and between them it is not raised")
    }

    @Test func alertIsKeptForItsTime() {
        var machine = AlertMachine(rule: rule(keep: 900))
        _ = machine.score(70, at: 0)
        expectEqual(machine.nextDeadline, after(900))
        expectNil(machine.score(0, at: 899))
        expectEqual(
            machine.score(0, at: 900),
            .cleared(raised(0), after: .seconds(900), because: .over)
        )
    }

    @Test func keptAlertWhoseConditionReturnsStaysRaised() {
        var machine = AlertMachine(rule: rule(keep: 900))
        _ = machine.score(70, at: 0)
        expectNil(machine.score(0, at: 500))
        expectNil(machine.score(70, at: 900))
        expectEqual(machine.state, .raised(alert: raised(0), keepUntil: nil))
        expectNil(machine.nextDeadline)
        expectEqual(
            machine.score(0, at: 901),
            .cleared(raised(0), after: .seconds(901), because: .over)
        )
    }

    @Test func coolingAlertIsNotRaised() {
        var machine = AlertMachine(rule: rule(cooldown: 1800))
        _ = machine.score(70, at: 0)
        _ = machine.score(0, at: 100)
        expectEqual(machine.state, .cooling(until: after(1900)))
        expectEqual(machine.nextDeadline, after(1900))
        expectNil(machine.raisedAlert)
        expectNil(machine.score(90, at: 1899))
        expectEqual(machine.score(90, at: 1900), .raised(raised(1900)))
    }

    @Test func cooldownIsNoHold() {
        var machine = AlertMachine(rule: rule(hold: 300, cooldown: 1800))
        _ = machine.score(70, at: 0)
        _ = machine.score(70, at: 300)
        _ = machine.score(0, at: 400)
        expectNil(machine.score(90, at: 2000))
        expectEqual(machine.state, .cooling(until: after(2200)))
        expectNil(machine.score(90, at: 2200))
        expectEqual(machine.state, .pending(since: after(2200)))
        expectEqual(machine.score(90, at: 2500), .raised(raised(2500)))
    }

    @Test func cooldownThatEndsInQuietLeadsToIdle() {
        var machine = AlertMachine(rule: rule(cooldown: 10))
        _ = machine.score(70, at: 0)
        _ = machine.score(0, at: 1)
        expectNil(machine.score(0, at: 11))
        expectEqual(machine.state, .idle)
    }

    @Test func missingFieldNeitherRaisesNorHolds() {
        var machine = AlertMachine(rule: rule(hold: 300))
        _ = machine.score(70, at: 0)
        expectNil(machine.evaluate([:], now: after(100), newID: "x"))
        expectEqual(machine.state, .idle)
    }

    @Test func noisyCrossingRaisesOneAlert() {
        var machine = AlertMachine(rule: rule(until: "score < 65", keep: 900, cooldown: 1800))
        var transitions: [AlertTransition] = []
        for minute in 0..<60 {
            let score = minute.isMultiple(of: 2) ? 71.0 : 69.0
            if let transition = machine.score(score, at: Int64(minute * 60)) {
                transitions.append(transition)
            }
        }
        expectEqual(transitions, [.raised(raised(0))])
    }
}

@Suite("Alert machine: rules that are withdrawn", .timeLimit(.minutes(10)))
struct AlertWithdrawalTests {
    @Test func disabledRuleNeverRaises() {
        var machine = AlertMachine(rule: rule(isEnabled: false))
        expectNil(machine.score(90, at: 0))
        expectEqual(machine.state, .idle)
    }

    @Test(arguments: [
        AlertState.idle, .pending(since: evening), .cooling(until: after(1800)),
        .untold(alert: raised(0), keepUntil: nil, until: after(1800)),
    ])
    func disabledRuleForgetsItsState(state: AlertState) {
        var machine = AlertMachine(
            rule: rule(hold: 300, cooldown: 3600, isEnabled: false),
            state: state
        )
        expectNil(machine.score(90, at: 10))
        expectEqual(machine.state, .idle)
    }

    @Test(arguments: [after(900), nil])
    func disabledRuleClearsItsAlertAtOnce(keepUntil: Timestamp?) {
        var machine = AlertMachine(
            rule: rule(keep: 900, cooldown: 3600, isEnabled: false),
            state: .raised(alert: raised(0), keepUntil: keepUntil)
        )
        expectEqual(
            machine.score(90, at: 10),
            .cleared(raised(0), after: .seconds(10), because: .withdrawn)
        )
        expectEqual(machine.state, .idle)
    }

    @Test func removedRuleClearsItsAlertAtOnce() {
        var machine = AlertMachine(rule: rule(keep: 900))
        _ = machine.score(70, at: 0)
        let transition = machine.withdraw(now: after(10))
        expectEqual(transition, .cleared(raised(0), after: .seconds(10), because: .withdrawn))
        let second = machine.withdraw(now: after(11))
        expectNil(second)
    }
}

@Suite("Alert machine: time and storage", .timeLimit(.minutes(10)))
struct AlertTimeTests {
    @Test func clockSetBackBeginsTheHoldAgain() {
        var machine = AlertMachine(rule: rule(hold: 300))
        _ = machine.score(70, at: 0)
        expectNil(machine.score(70, at: -3600))
        expectEqual(machine.state, .pending(since: after(-3600)))
        expectEqual(machine.score(70, at: -3300), .raised(raised(-3300)))
    }

    @Test func clockSetBackDoesNotKeepTheAlertLonger() {
        var machine = AlertMachine(rule: rule(keep: 900))
        _ = machine.score(70, at: 0)
        expectNil(machine.score(0, at: -3600))
        expectEqual(machine.nextDeadline, after(-2700))
        expectEqual(
            machine.score(0, at: -2700),
            .cleared(raised(0), after: .zero, because: .over),
            "it never lasts less than no time"
        )
    }

    @Test func clockSetBackDoesNotLengthenTheCooldown() {
        var machine = AlertMachine(rule: rule(cooldown: 1800))
        _ = machine.score(70, at: 0)
        _ = machine.score(0, at: 1)
        expectNil(machine.score(70, at: -7200))
        expectEqual(machine.state, .cooling(until: after(-5400)))
        expectEqual(machine.score(70, at: -5400), .raised(raised(-5400)))
    }

    @Test func shorterRuleShortensAWaitUnderWay() {
        var kept = AlertMachine(
            rule: rule(keep: 60),
            state: .raised(alert: raised(0), keepUntil: after(900))
        )
        expectNil(kept.score(0, at: 10))
        expectEqual(kept.nextDeadline, after(70))
        var cooling = AlertMachine(rule: rule(), state: .cooling(until: after(1800)))
        expectEqual(cooling.score(90, at: 10), .raised(raised(10)))
    }

    @Test func everyStateReadsBack() throws {
        let states: [AlertState] = [
            .idle, .pending(since: evening), .raised(alert: raised(1), keepUntil: after(900)),
            .raised(alert: raised(1), keepUntil: nil), .cooling(until: after(5)),
            .untold(alert: raised(1, .info), keepUntil: nil, until: after(9)),
            .untold(alert: raised(1, .info), keepUntil: after(5), until: after(9)),
        ]
        for state in states {
            let stored = try JSONEncoder().encode(state)
            try expectEqual(JSONDecoder().decode(AlertState.self, from: stored), state)
        }
    }

    private static let withoutSeverity = RaisedAlert(id: "alert-0", since: evening)

    /// These texts stand in databases; alerts had no severity once.
    @Test(arguments: [
        (#"{"idle":{}}"#, AlertState.idle),
        (#"{"pending":{"since":1766340000000}}"#, .pending(since: evening)),
        (
            #"{"raised":{"alert":{"id":"alert-0","since":1766340000000},"#
                + #""keepUntil":1766340900000}}"#,
            .raised(alert: AlertTimeTests.withoutSeverity, keepUntil: after(900))
        ),
        (
            #"{"raised":{"alert":{"id":"alert-0","since":1766340000000}}}"#,
            .raised(alert: AlertTimeTests.withoutSeverity, keepUntil: nil)
        ),
        (#"{"cooling":{"until":1766340005000}}"#, .cooling(until: after(5))),
    ])
    func storedTextIsRead(text: String, state: AlertState) throws {
        try expectEqual(JSONDecoder().decode(AlertState.self, from: Data(text.utf8)), state)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func eventsOfOneMachineAlternateAndKeepTheirTimes(seed: UInt64) {
        let rule = rule(until: "score < 65", hold: 300, keep: 900, cooldown: 1800)
        var machine = AlertMachine(rule: rule)
        var random = seed
        var second: Int64 = 0
        var lastRaised: RaisedAlert?
        var lastCleared: Int64?
        for _ in 0..<5000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            second += Int64(random >> 58)
            // Restarts do not show: the state is all there is.
            machine = AlertMachine(rule: rule, state: machine.state)
            switch machine.score(Double(60 + random >> 33 % 16), at: second) {
            case nil: break
            case .raised(let alert):
                expectNil(lastRaised, "seed \(seed)")
                expect(second - (lastCleared ?? -10_000) >= 1800 + 300, "seed \(seed)")
                lastRaised = alert
            case .escalated: Issue.record("seed \(seed): the rule has no escalation")
            case .cleared(let alert, let duration, let reason):
                expectEqual(lastRaised, alert, "seed \(seed)")
                expect(duration >= .seconds(900), "seed \(seed)")
                expectEqual(reason, .over)
                lastRaised = nil
                lastCleared = second
            }
            if let deadline = machine.nextDeadline { expect(deadline > after(second)) }
        }
    }
}

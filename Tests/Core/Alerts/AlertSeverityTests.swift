import Core
import Expectations

@Suite("Alert machine: severity that grows", .timeLimit(.minutes(10)))
struct AlertSeverityTests {
    private let storm = rule(
        until: "score < 65",
        severity: .info,
        escalations: [(.critical, "score >= 95"), (.warning, "score >= 85")]
    )

    @Test func severitiesAreInOrder() {
        expectEqual(AlertSeverity.allCases, AlertSeverity.allCases.sorted())
        expect(AlertSeverity.info < .warning && AlertSeverity.warning < .critical)
    }

    @Test func alertRisesThroughItsSeverities() {
        var machine = AlertMachine(rule: storm)
        expectEqual(machine.score(70, at: 0), .raised(raised(0, .info)))
        expectNil(machine.score(84.9, at: 1))
        expectEqual(machine.score(85, at: 2), .escalated(raised(0, .warning), from: .info))
        expectNil(machine.score(86, at: 3))
        expectEqual(machine.score(95, at: 4), .escalated(raised(0, .critical), from: .warning))
        expectEqual(machine.state, .raised(alert: raised(0, .critical), keepUntil: nil))
    }

    @Test func greatestSeverityThatIsMetHolds() {
        var machine = AlertMachine(rule: storm)
        expectEqual(machine.score(99, at: 0), .raised(raised(0, .critical)))
        var other = AlertMachine(rule: storm)
        _ = other.score(70, at: 0)
        expectEqual(other.score(99, at: 1), .escalated(raised(0, .critical), from: .info))
    }

    @Test func severityDoesNotFallWhileTheAlertStands() {
        var machine = AlertMachine(rule: storm)
        _ = machine.score(90, at: 0)
        expectNil(machine.score(70, at: 1))
        expectNil(machine.score(90, at: 2))
        expectEqual(
            machine.score(60, at: 3),
            .cleared(raised(0, .warning), after: .seconds(3), because: .over)
        )
        expectEqual(machine.score(70, at: 4), .raised(raised(4, .info)), "the next begins anew")
    }

    @Test func keptAlertEscalates() {
        let kept = rule(keep: 900, severity: .info, escalations: [(.critical, "kp >= 8")])
        var machine = AlertMachine(rule: kept)
        _ = machine.score(70, at: 0)
        let transition = machine.evaluate(["kp": .number(8)], now: after(10), newID: "x")
        expectEqual(transition, .escalated(raised(0, .critical), from: .info))
        expectEqual(machine.nextDeadline, after(900))
    }

    @Test func alertThatIsOverIsClearedAndNotEscalated() {
        let rule = rule(severity: .info, escalations: [(.critical, "kp >= 8")])
        var machine = AlertMachine(rule: rule)
        _ = machine.score(70, at: 0)
        let transition = machine.evaluate(["kp": .number(8)], now: after(10), newID: "x")
        expectEqual(transition, .cleared(raised(0, .info), after: .seconds(10), because: .over))
    }

    @Test func alertOfBeforeThereWereSeveritiesHasItsRules() {
        let old = RaisedAlert(id: "alert-0", since: evening)
        var machine = AlertMachine(rule: storm, state: .raised(alert: old, keepUntil: nil))
        expectNil(machine.score(70, at: 1))
        expectEqual(machine.score(85, at: 2), .escalated(raised(0, .warning), from: .info))
    }

    @Test func ruleRefusesEscalationsThatAreNone() throws {
        let when = try AlertExpression("score >= 90")
        for severity in [AlertSeverity.info, .warning] {
            #expect(throws: AlertRuleError.idleEscalation(severity, of: .warning)) {
                try AlertRule(
                    name: "a",
                    topics: "b",
                    when: when,
                    severity: .warning,
                    escalations: [AlertEscalation(severity: severity, when: when)]
                )
            }
        }
        #expect(throws: AlertRuleError.tooManyEscalations(5)) {
            try AlertRule(
                name: "a",
                topics: "b",
                when: when,
                severity: .info,
                escalations: Array(
                    repeating: AlertEscalation(severity: .critical, when: when),
                    count: 5
                )
            )
        }
    }
}

@Suite("Alert machine: quiet hours", .timeLimit(.minutes(10)))
struct AlertQuietTests {
    private let quiet = rule(
        until: "score < 65",
        severity: .info,
        escalations: [(.warning, "score >= 85"), (.critical, "score >= 95")],
        quiet: night
    )

    @Test func alertOfTheNightIsToldInTheMorning() {
        var machine = AlertMachine(rule: quiet)
        expectNil(machine.score(70, at: nightStart))
        expectNil(machine.raisedAlert)
        expectEqual(machine.nextDeadline, after(nightEnd))
        expectNil(machine.score(66, at: nightEnd - 1))
        let transition = machine.score(66, at: nightEnd)
        expectEqual(transition, .raised(raised(nightStart, .info)), "with when it was raised")
        expectNil(machine.nextDeadline)
    }

    @Test func alertThatIsOverBeforeMorningIsNeverTold() {
        var machine = AlertMachine(rule: quiet)
        expectNil(machine.score(70, at: nightStart))
        expectNil(machine.score(60, at: nightStart + 60))
        expectEqual(machine.state, .idle)
        expectNil(machine.score(60, at: nightEnd))
    }

    @Test func criticalAlertIsToldAtAnyHour() {
        var machine = AlertMachine(rule: quiet)
        expectEqual(machine.score(95, at: nightStart), .raised(raised(nightStart, .critical)))
        var other = AlertMachine(rule: quiet)
        expectNil(other.score(70, at: nightStart))
        expectNil(other.score(86, at: nightStart + 1))
        expectEqual(other.score(95, at: nightStart + 2), .raised(raised(nightStart, .critical)))
    }

    @Test func greatestSeverityOfTheNightIsToldInTheMorning() {
        var machine = AlertMachine(rule: quiet)
        _ = machine.score(70, at: nightStart)
        _ = machine.score(86, at: nightStart + 60)
        _ = machine.score(70, at: nightStart + 120)
        expectEqual(machine.score(70, at: nightEnd), .raised(raised(nightStart, .warning)))
    }

    @Test func escalationOfTheNightWaitsUnlessItIsCritical() {
        var machine = AlertMachine(rule: quiet)
        expectEqual(machine.score(70, at: 0), .raised(raised(0, .info)))
        expectNil(machine.score(86, at: nightStart))
        expectEqual(machine.nextDeadline, after(nightEnd))
        expectEqual(machine.score(86, at: nightEnd), .escalated(raised(0, .warning), from: .info))
        var other = AlertMachine(rule: quiet)
        _ = other.score(70, at: 0)
        expectEqual(other.score(95, at: nightStart), .escalated(raised(0, .critical), from: .info))
    }

    @Test func endOfAnAlertIsToldAtAnyHour() {
        var machine = AlertMachine(rule: quiet)
        _ = machine.score(70, at: 0)
        expectEqual(
            machine.score(0, at: nightStart),
            .cleared(raised(0, .info), after: .seconds(nightStart), because: .over)
        )
    }

    @Test func keptAlertOfTheNightIsToldWhenItIsKeptUntilMorning() {
        let kept = rule(keep: 3600, severity: .info, quiet: night)
        var machine = AlertMachine(rule: kept)
        expectNil(machine.score(70, at: nightEnd - 1800))
        expectEqual(machine.nextDeadline, after(nightEnd))
        expectEqual(machine.score(0, at: nightEnd), .raised(raised(nightEnd - 1800, .info)))
        expectEqual(machine.nextDeadline, after(nightEnd + 1800))
        expectEqual(
            machine.score(0, at: nightEnd + 1800),
            .cleared(raised(nightEnd - 1800, .info), after: .seconds(3600), because: .over)
        )
    }

    @Test func keptAlertOfTheNightThatIsOverEndsWithItsTime() {
        let kept = rule(keep: 3600, severity: .info, quiet: night)
        var machine = AlertMachine(rule: kept)
        expectNil(machine.score(70, at: nightStart))
        expectNil(machine.score(0, at: nightStart + 1800))
        expectEqual(machine.nextDeadline, after(nightStart + 3600))
        expectNil(machine.score(0, at: nightStart + 3600))
        expectEqual(machine.state, .idle)
    }

    @Test func holdThatEndsInTheNightIsQuiet() {
        let held = rule(hold: 600, severity: .info, quiet: night)
        var machine = AlertMachine(rule: held)
        expectNil(machine.score(70, at: nightStart - 300))
        expectNil(machine.score(70, at: nightStart + 300))
        expectEqual(machine.nextDeadline, after(nightEnd))
        expectEqual(machine.score(70, at: nightEnd), .raised(raised(nightStart + 300, .info)))
    }

    @Test func ruleWhoseQuietHoursAreTakenAwayTellsAtOnce() {
        let state = AlertState.untold(
            alert: raised(nightStart, .info),
            keepUntil: nil,
            until: after(nightEnd)
        )
        var machine = AlertMachine(rule: rule(severity: .info), state: state)
        expectEqual(machine.score(70, at: nightStart + 60), .raised(raised(nightStart, .info)))
    }

    @Test func withdrawnRuleSaysNothingOfWhatNobodyKnows() {
        var machine = AlertMachine(rule: quiet)
        _ = machine.score(70, at: nightStart)
        let transition = machine.withdraw(now: after(nightStart + 1))
        expectNil(transition)
        expectEqual(machine.state, .idle)
    }
}

/// Turns a rule and the values of one subject into one alert per crossing.
///
/// **States and inputs.** See `AlertState`. The inputs are `evaluate`, when new values were
/// published or `nextDeadline` has come, and `withdraw`, when the rule is removed.
///
/// **Duties.** After each call that returns a transition or changes `state`: store `state`, and
/// with it, in the same transaction, the event of the transition (`alertEvent`). Evaluate again,
/// with the values as they are then, when `nextDeadline` has come.
///
/// **Time.** A clock that is set back is harmless: no wait becomes longer than the rule's, though
/// it may begin again. Changed durations of a rule apply from its next state on, and shorten a wait
/// under way.
///
/// **Quiet hours** keep back raises and escalations, unless to critical. The end of a published
/// alert is published at any hour.
///
/// **Severity** only grows while an alert is active: its greatest severity counts.
///
/// **Not here.** Values, clocks and identifiers come from the caller; several rules and subjects
/// are several machines.
package struct AlertMachine: Sendable, Equatable {
    package let rule: AlertRule
    package private(set) var state: AlertState
    /// When an escalation that the last evaluation found in quiet hours is published. Not part of
    /// the state: each evaluation finds it again.
    private var postponedUntil: Timestamp?

    package init(rule: AlertRule, state: AlertState = .idle) {
        self.rule = rule
        self.state = state
    }

    // MARK: Inputs

    /// - Parameter newID: becomes the identifier of the alert, if this call raises one.
    package mutating func evaluate(
        _ fields: [String: AlertValue],
        now: Timestamp,
        newID: String
    ) -> AlertTransition? {
        postponedUntil = nil
        guard rule.isEnabled else { return withdraw(now: now) }
        switch state {
        case .idle:
            return rule.when.evaluate(fields)
                ? meet(fields, since: now, now: now, newID: newID) : nil
        case .pending(let since):
            guard rule.when.evaluate(fields) else {
                state = .idle
                return nil
            }
            return meet(fields, since: min(since, now), now: now, newID: newID)
        case .untold(let alert, let keepUntil, _):
            return wait(alert, kept(keepUntil, now), fields, now: now)
        case .raised(let alert, let keepUntil):
            return stand(alert, kept(keepUntil, now), fields, now: now)
        case .cooling(let until):
            let until = min(until, now + rule.cooldown)
            guard now >= until else {
                state = .cooling(until: until)
                return nil
            }
            state = .idle
            return evaluate(fields, now: now, newID: newID)
        }
    }

    /// Clears a raised alert, and resets the rest of the state.
    package mutating func withdraw(now: Timestamp) -> AlertTransition? {
        switch state {
        case .idle, .pending, .untold, .cooling:
            state = .idle
            return nil
        case .raised(let alert, _):
            let transition = clear(alert, because: .withdrawn, now: now)
            state = .idle
            return transition
        }
    }

    // MARK: Outputs

    /// When to evaluate again even if nothing is published; nil when only new values can change
    /// anything.
    package var nextDeadline: Timestamp? {
        switch state {
        case .idle: nil
        case .pending(let since): since + rule.hold
        case .untold(_, let keepUntil, let until): min(keepUntil ?? until, until)
        case .raised(_, let keepUntil): [keepUntil, postponedUntil].compactMap(\.self).min()
        case .cooling(let until): until
        }
    }

    package var raisedAlert: RaisedAlert? {
        guard case .raised(let alert, _) = state else { return nil }
        return alert
    }

    // MARK: Transitions

    /// `when` is met, and has been since then.
    private mutating func meet(
        _ fields: [String: AlertValue],
        since: Timestamp,
        now: Timestamp,
        newID: String
    ) -> AlertTransition? {
        guard now - since >= rule.hold else {
            state = .pending(since: since)
            return nil
        }
        let alert = RaisedAlert(id: newID, since: now, severity: rule.severity(fields))
        return tell(alert, rule.keep > .zero ? now + rule.keep : nil, now: now)
    }

    /// The rest of the time for which the alert is kept; nil when it has elapsed.
    private func kept(_ keepUntil: Timestamp?, _ now: Timestamp) -> Timestamp? {
        guard let keepUntil, now < min(keepUntil, now + rule.keep) else { return nil }
        return min(keepUntil, now + rule.keep)
    }

    /// Handles an alert that is not published yet.
    private mutating func wait(
        _ alert: RaisedAlert,
        _ keepUntil: Timestamp?,
        _ fields: [String: AlertValue],
        now: Timestamp
    ) -> AlertTransition? {
        guard keepUntil != nil || !rule.isOver(fields) else {
            // It was never published: there is nothing to clear, and no cooldown.
            state = .idle
            return nil
        }
        var alert = alert
        alert.severity = max(alert.severity ?? rule.severity, rule.severity(fields))
        return tell(alert, keepUntil, now: now)
    }

    private mutating func tell(
        _ alert: RaisedAlert,
        _ keepUntil: Timestamp?,
        now: Timestamp
    ) -> AlertTransition? {
        if alert.severity != .critical, let end = rule.quiet?.end(at: now) {
            state = .untold(alert: alert, keepUntil: keepUntil, until: end)
            return nil
        }
        state = .raised(alert: alert, keepUntil: keepUntil)
        return .raised(alert)
    }

    /// Handles a published alert: it is over, it has become more severe, or nothing has changed.
    private mutating func stand(
        _ alert: RaisedAlert,
        _ keepUntil: Timestamp?,
        _ fields: [String: AlertValue],
        now: Timestamp
    ) -> AlertTransition? {
        state = .raised(alert: alert, keepUntil: keepUntil)
        if keepUntil == nil, rule.isOver(fields) { return clear(alert, because: .over, now: now) }
        let former = alert.severity ?? rule.severity
        let severity = rule.severity(fields)
        guard severity > former else { return nil }
        if severity != .critical, let end = rule.quiet?.end(at: now) {
            postponedUntil = end
            return nil
        }
        var alert = alert
        alert.severity = severity
        state = .raised(alert: alert, keepUntil: keepUntil)
        return .escalated(alert, from: former)
    }

    private mutating func clear(
        _ alert: RaisedAlert,
        because reason: AlertTransition.Reason,
        now: Timestamp
    ) -> AlertTransition {
        state = rule.cooldown > .zero ? .cooling(until: now + rule.cooldown) : .idle
        return .cleared(alert, after: max(.zero, now - alert.since), because: reason)
    }
}

import Timekeeping

/// Turns a rule and the values of one subject into one alert per crossing.
///
/// **States and inputs.** See `AlertState`. The inputs are `evaluate`, whenever the values were
/// published anew or `nextDeadline` has come, and `withdraw`, when the rule is gone.
///
/// **Duties.** After each call that returns a transition or changes `state`: store `state`, and
/// with it, in the same transaction, the event of the transition (`alertEvent`). Evaluate again,
/// with the values as they are then, when `nextDeadline` has come.
///
/// **Time.** A clock that is set back does no harm: no wait becomes longer than the rule says,
/// though it may begin again. A rule whose durations change applies from its next state on, and
/// shortens a wait under way.
///
/// **Not here.** Values, clocks and identifiers come from the caller; several rules and subjects
/// are several machines.
package struct AlertMachine: Sendable, Equatable {
    package let rule: AlertRule
    package private(set) var state: AlertState

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
        guard rule.isEnabled else { return withdraw(now: now) }
        switch state {
        case .idle:
            return rule.when.evaluate(fields) ? meet(since: now, now: now, newID: newID) : nil
        case .pending(let since):
            guard rule.when.evaluate(fields) else {
                state = .idle
                return nil
            }
            return meet(since: min(since, now), now: now, newID: newID)
        case .raised(let alert, let keepUntil):
            if let keepUntil, now < min(keepUntil, now + rule.keep) {
                state = .raised(alert: alert, keepUntil: min(keepUntil, now + rule.keep))
                return nil
            }
            state = .raised(alert: alert, keepUntil: nil)
            return rule.isOver(fields) ? clear(alert, because: .over, now: now) : nil
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

    /// Clears a raised alert, and forgets everything else.
    package mutating func withdraw(now: Timestamp) -> AlertTransition? {
        switch state {
        case .idle, .pending, .cooling:
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
        case .raised(_, let keepUntil): keepUntil
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
        since: Timestamp,
        now: Timestamp,
        newID: String
    ) -> AlertTransition? {
        guard now - since >= rule.hold else {
            state = .pending(since: since)
            return nil
        }
        let alert = RaisedAlert(id: newID, since: now)
        state = .raised(alert: alert, keepUntil: rule.keep > .zero ? now + rule.keep : nil)
        return .raised(alert)
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

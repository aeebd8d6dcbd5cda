/// The subject of alerts, and the topic in which they are published.
package struct AlertSubject: Sendable, Hashable {
    /// The topic whose events the rules evaluate.
    package let topic: Topic
    /// The topic of alerts of the operator's rules.
    package let alertsTopic: Topic
    /// The first word of the types of its events.
    package let domain: String
    /// Within the domain, as events name it.
    package let id: String

    package init(topic: Topic, alertsTopic: Topic, domain: String, id: String) {
        self.topic = topic
        self.alertsTopic = alertsTopic
        self.domain = domain
        self.id = id
    }

    /// The topic of a rule's alerts; nil for a user whose name cannot be part of a topic.
    func topic(of rule: AlertRuleKey) -> Topic? {
        guard let owner = rule.owner else { return alertsTopic }
        return userAlertsTopic(owner)
    }
}

/// The namespace of `userAlertsTopic`.
package let userAlertsNamespace = "alerts"

/// The topic of the alerts of a user's own rules, `alerts:{user}`; nil for a user whose name cannot
/// be part of a topic.
package func userAlertsTopic(_ user: String) -> Topic? {
    // With a colon in it, one user's topic could lie below another's.
    guard !user.isEmpty, !user.contains(":") else { return nil }
    return try? Topic("\(userAlertsNamespace):\(user)")
}

/// The states of all rules for one subject: turns rules and values into alerts.
///
/// **States and inputs.** A machine for each rule (`AlertMachine`). The one input is `evaluate`,
/// with the rules for the subject at that time: a rule that is among them for the first time begins
/// idle, or in its restored state; one that has changed continues from its state; one that is no
/// longer among them is withdrawn, and its alert is cleared.
///
/// **Duties.** After each call: commit the events and states of the outcome together, and keep the board only
/// if that succeeded. Evaluate again when `nextDeadline` has come, and when rules have changed.
package struct AlertBoard: Sendable {
    package let subject: AlertSubject
    private var machines: [AlertRuleKey: AlertMachine] = [:]
    /// The restored states that have not been used yet.
    private var states: [AlertRuleKey: AlertState] = [:]

    package init(subject: AlertSubject) {
        self.subject = subject
    }

    /// The changes that an evaluation made.
    package struct Outcome: Sendable {
        package var events: [PublishedAlert] = []
        /// By the text of the rule's key, in that order; nil for a rule that is gone.
        package var states: [(rule: String, state: AlertState?)] = []
        /// In order, including those without a valid topic, which are not published.
        package var transitions: [AlertTransition] = []

        package init() {}

        package var isEmpty: Bool { events.isEmpty && states.isEmpty }
    }

    /// Restores the state of a rule.
    package mutating func restore(_ state: AlertState, of rule: AlertRuleKey) {
        states[rule] = state
    }

    /// - Parameters:
    ///   - rules: all rules for the subject now, of all owners.
    ///   - headline: one line for people; nil for the values that the rule used.
    ///   - newID: makes a fresh id for each event and alert.
    package mutating func evaluate(
        _ rules: [AlertRule],
        _ fields: [String: AlertValue],
        headline: AlertHeadline? = nil,
        now: Timestamp,
        newID: () -> String
    ) -> Outcome {
        var outcome = Outcome()
        withdrawAll(except: Set(rules.map(\.key)), headline, now: now, newID: newID, &outcome)
        for rule in rules.sorted(by: { $0.key < $1.key }) {
            let before = machines[rule.key]?.state ?? states.removeValue(forKey: rule.key) ?? .idle
            var machine = AlertMachine(rule: rule, state: before)
            let transition = machine.evaluate(fields, now: now, newID: newID())
            machines[rule.key] = machine
            if machine.state != before {
                outcome.states.append((rule.key.description, machine.state))
            }
            guard let transition else { continue }
            outcome.transitions.append(transition)
            guard let topic = subject.topic(of: rule.key) else { continue }
            let headline = headline ?? AlertHeadline(plain: rule.headline(fields))
            let event = alertEvent(
                transition,
                of: rule,
                domain: subject.domain,
                id: newID(),
                source: "/\(subject.domain)",
                subject: subject.id,
                fields: fields,
                headline: headline,
                now: now
            )
            outcome.events.append(
                PublishedAlert(
                    topic: topic,
                    event: event,
                    rule: rule.key,
                    transition: transition,
                    severity: transition.alert.severity ?? rule.severity,
                    headline: headline.text(in: rule.language),
                    values: alertValues(rule.fieldNames.map { ($0, fields[$0]) })
                )
            )
        }
        return outcome
    }

    /// The time at which an alert may change without new values.
    package var nextDeadline: Timestamp? { machines.values.compactMap(\.nextDeadline).min() }

    /// The severities of the active alerts: those raised and not cleared yet. In no order.
    ///
    /// Complexity: O(rules).
    package var standingSeverities: [AlertSeverity] {
        machines.values.compactMap { $0.state.standingSeverity(of: $0.rule) }
            + states.values.compactMap { $0.standingSeverity(of: nil) }
    }

    // MARK: Rules that are gone

    private mutating func withdrawAll(
        except keys: Set<AlertRuleKey>,
        _ headline: AlertHeadline?,
        now: Timestamp,
        newID: () -> String,
        _ outcome: inout Outcome
    ) {
        let gone = Set(machines.keys).union(states.keys).subtracting(keys)
        for key in gone.sorted() {
            let machine = machines.removeValue(forKey: key)
            let restored = states.removeValue(forKey: key)
            guard let state = machine?.state ?? restored else { continue }
            outcome.states.append((key.description, nil))
            guard case .raised(let alert, _) = state,
                let severity = state.standingSeverity(of: machine?.rule)
            else { continue }
            let length = max(.zero, now - alert.since)
            let transition = AlertTransition.cleared(alert, after: length, because: .withdrawn)
            outcome.transitions.append(transition)
            guard let topic = subject.topic(of: key) else { continue }
            let headline = headline ?? AlertHeadline(plain: "\(key.name): the rule is gone")
            let event = alertEvent(
                transition,
                of: key.name,
                severity: severity,
                domain: subject.domain,
                id: newID(),
                source: "/\(subject.domain)",
                subject: subject.id,
                values: [],
                headline: headline,
                language: machine?.rule.language,
                now: now
            )
            outcome.events.append(
                PublishedAlert(
                    topic: topic,
                    event: event,
                    rule: key,
                    transition: transition,
                    severity: severity,
                    headline: headline.text(in: machine?.rule.language),
                    values: alertValues([])
                )
            )
        }
    }
}

extension AlertState {
    /// Nil if no alert is active.
    ///
    /// - Parameter rule: nil for a rule of which only the raised alert is known.
    fileprivate func standingSeverity(of rule: AlertRule?) -> AlertSeverity? {
        guard case .raised(let alert, _) = self else { return nil }
        return alert.severity ?? rule?.severity ?? .info
    }
}

extension AlertRule {
    /// `against-again: score -0.62, position "against"`
    fileprivate func headline(_ fields: [String: AlertValue]) -> String {
        let values = fieldNames.compactMap { name in fields[name].map { "\(name) \($0)" } }
        return values.isEmpty ? name : "\(name): \(values.joined(separator: ", "))"
    }
}

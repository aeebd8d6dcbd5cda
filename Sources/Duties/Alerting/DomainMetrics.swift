/// The metrics of domains and alert rules.
package final class DomainMetrics: Sendable {
    package let registry: MetricsRegistry
    private let derivations = DerivationTimes()
    /// The counts except those of active alerts, which come from `sources`.
    private let alerts = Locked(AlertCounts())
    private let sources = Locked<[Source]>([])

    /// A struct, because a function that is itself the value of a lock is wrapped once more at
    /// every access.
    private struct Source: Sendable {
        let add: @Sendable (inout StandingAlerts) -> Void
    }

    package init(registry: MetricsRegistry = MetricsRegistry()) {
        self.registry = registry
        registry.add { [derivations] in derivations.write(to: &$0) }
        // The sources may in turn refer to the registry.
        registry.add { [weak self] in
            if let self { $0.write(self.alertCounts) }
        }
    }

    private var alertCounts: AlertCounts {
        var counts = alerts.withLock { $0 }
        for source in sources.withLock({ $0 }) { source.add(&counts.standing) }
        return counts
    }

    /// Lists a domain's derivations in the metrics before the first of them.
    package func addDerivations(of domain: String) { derivations.add(domain) }

    /// Counts a derivation, whether or not it was committed.
    package func noteDerivation(_ domain: String, _ duration: Duration) {
        derivations.note(domain, duration)
    }

    /// Adds a source of active alerts. `add` must not retain an object that retains this one.
    package func addStandingAlerts(_ add: @escaping @Sendable (inout StandingAlerts) -> Void) {
        sources.withLock { $0.append(Source(add: add)) }
    }

    /// Counts committed changes of alerts.
    package func note(_ transitions: AlertTransitionCounts) {
        guard !transitions.isEmpty else { return }
        alerts.withLock { $0.transitions += transitions }
    }

    /// Counts publications that rules should have evaluated but did not.
    ///
    /// - Parameter owner: the owner of the rules.
    package func notePassedOver(
        _ count: Int,
        _ reason: AlertCounts.PassedOver,
        of owner: AlertOwner.Kind
    ) {
        alerts.withLock { $0.passedOver[reason, default: [:]][owner, default: 0] += UInt64(count) }
    }
}

extension MetricsText {
    package mutating func write(_ alerts: AlertCounts) {
        metric(
            "hub_alerts_active",
            .gauge,
            "Alerts that were raised and are not cleared yet.",
            alerts.domains.flatMap { domain in
                AlertSeverity.allCases.map {
                    let count = alerts.standing.counts[domain]?[$0] ?? 0
                    return ([("domain", domain), ("severity", $0.rawValue)], UInt64(count))
                }
            }
        )
        metric(
            "hub_alert_transitions_total",
            .counter,
            "Alerts that were raised, became more severe, or were cleared.",
            alerts.domains.flatMap { domain in
                AlertTransition.Kind.allCases.map {
                    let count = alerts.transitions.counts[domain]?[$0] ?? 0
                    return ([("domain", domain), ("kind", $0.rawValue)], count)
                }
            }
        )
        metric(
            "hub_alert_passed_over_total",
            .counter,
            "Publications that alert rules have not looked at, though they should have.",
            AlertCounts.PassedOver.allCases.flatMap { reason in
                AlertOwner.Kind.allCases.map {
                    let labels = [("reason", reason.rawValue), ("owner", $0.rawValue)]
                    return (labels, alerts.passedOver[reason]?[$0] ?? 0)
                }
            }
        )
    }
}

import Activity
import Alerts
import Metrics
import Store
import Timekeeping

/// What the domains count: derivations, alerts, what people do.
extension MetricsText {
    mutating func write(_ derivations: [DerivingDomain: Histogram]) {
        histogram(
            "hub_derive_seconds",
            "Derivations, with reading what they are made of, without their commits.",
            DerivingDomain.allCases.map {
                ([("domain", $0.rawValue)], derivations[$0] ?? Histogram(.times))
            }
        )
    }

    mutating func write(_ alerts: AlertCounts) {
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

    mutating func write(_ activity: MetricsSnapshot.ActivitySnapshot, now: Timestamp) {
        metric(
            "hub_activity_acts_total",
            .counter,
            "Acts that friends are told of.",
            ActivityType.allCases.map {
                ([("kind", $0.rawValue)], activity.acts[$0, default: 0])
            }
        )
        guard let fanOut = activity.fanOut else { return }
        metric(
            "hub_activity_fanout_waiting",
            .gauge,
            "Acts of which friends are still to be told, page by page.",
            UInt64(fanOut.count)
        )
        gauge(
            "hub_activity_fanout_oldest_seconds",
            "How old the act is that waits longest.",
            [([], fanOut.oldest.map { max(0, (now - $0).inSeconds) } ?? 0)]
        )
    }
}

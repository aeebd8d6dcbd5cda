extension Exposition {
    /// How many alerts of severity `warning` a domain has, and how many of its alerts were raised, escalated and
    /// cleared.
    package func alerts(of domain: String) -> [Double?] {
        [value("hub_alerts_active", ["domain": domain, "severity": "warning"])]
            + ["raised", "escalated", "cleared"].map {
                value("hub_alert_transitions_total", ["domain": domain, "kind": $0])
            }
    }
}

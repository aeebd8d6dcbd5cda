/// The end of the names of topics with alerts of the operator's rules.
package let alertsSuffix = ":alerts"

extension Topic {
    /// The topic with the alerts of the operator's rules about this one; nil if its name would be too
    /// long. No rule applies to such a topic.
    package var alerts: Topic? { try? Topic(name + alertsSuffix) }

    /// Whether the topic is for alerts: `{topic}:alerts`, or `alerts:{user}`. Only the hub and holders
    /// of API keys publish there, so that readers can trust an alert. Rules do not evaluate alerts:
    /// each would raise the next one.
    package var isForAlerts: Bool {
        name.utf8.suffix(alertsSuffix.utf8.count).elementsEqual(alertsSuffix.utf8)
            || namespace == userAlertsNamespace
    }
}

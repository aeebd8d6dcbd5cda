/// The event of an alert, and the parts that it was made from.
package struct PublishedAlert: Sendable {
    package let topic: Topic
    package let event: Event
    package let rule: AlertRuleKey
    package let transition: AlertTransition
    package let severity: AlertSeverity
    /// As in the event, in the language of the rule.
    package let headline: String
    /// The values of the event, a JSON object.
    package let values: [UInt8]
}

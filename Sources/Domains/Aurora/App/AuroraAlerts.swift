import DomainKit

extension Configuration.Alert {
    /// The domain's own rule, with damping: five minutes in a row above the threshold before the
    /// alert is raised, at least a quarter of an hour until it is cleared, and half an hour of
    /// cooldown after that. Between 65 and 70 a raised alert stays.
    package static let auroraExcellent: Configuration.Alert = {
        var alert = Configuration.Alert()
        alert.name = "aurora-excellent"
        alert.topics = "aurora:*"
        alert.when = #"score >= 70 and level == "excellent""#
        alert.until = "score < 65"
        alert.hold = .seconds(5 * 60)
        alert.keep = .seconds(15 * 60)
        alert.cooldown = .seconds(30 * 60)
        return alert
    }()
}

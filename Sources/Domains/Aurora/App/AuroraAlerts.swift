import Configuration

extension Configuration.Alert {
    /// The domain's own rule, made calm: five minutes in a row above the threshold before anybody is
    /// called outside, a quarter of an hour at least until it is called off, and half an hour of
    /// silence after that. Between 65 and 70 a raised alert stands.
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

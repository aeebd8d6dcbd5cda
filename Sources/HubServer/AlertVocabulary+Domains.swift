import Alerting
import PubSub
import Radar

extension AlertVocabulary {
    /// Of all domains.
    package static let domains = AlertVocabulary([
        "activity": ActivityAlertFields.names, "aurora": AuroraAlertFields.names,
        Topic.radarNamespace: RadarAlertFields.names,
    ])
}

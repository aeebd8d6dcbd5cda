import ActivityApp
import Alerting
import AuroraApp
import PubSub
import Radar
import RadarApp

extension AlertVocabulary {
    /// Of all domains.
    package static let domains = AlertVocabulary([
        "activity": ActivityAlertFields.names, "aurora": AuroraAlertFields.names,
        Topic.radarNamespace: RadarAlertFields.names,
    ])
}

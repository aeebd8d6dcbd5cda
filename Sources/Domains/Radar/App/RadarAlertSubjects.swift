import DomainKit

/// The subjects of alert rules for radars: each event of a radar is evaluated in the change that
/// publishes it.
package struct RadarAlertSubjects: AlertSubjects {
    /// The domain of the rows with the newest values of a radar.
    package static let domain = "alerts"

    package init() {}

    package let rowPrefix = "radar:"
    package let fieldsDomain: String? = RadarAlertSubjects.domain

    package func subject(_ id: String) -> AlertSubject? {
        guard Topic.isRadarID(id) else { return nil }
        return AlertSubject(
            topic: .radar(id),
            alertsTopic: .radarAlerts(id),
            domain: Topic.radarNamespace,
            id: id
        )
    }
}

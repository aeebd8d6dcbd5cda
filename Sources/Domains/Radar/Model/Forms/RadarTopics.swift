import PubSub

/// The topics of a radar: `radar:{id}` and `radar:{id}:alerts` for everybody who may read it, over every
/// protocol, and `radar-app:{id}` for the sockets of the app, which the hub alone writes and reads.
///
/// They are made of the ids of radars, which the hub gives. A text that came from elsewhere is asked
/// about with `isRadarID` before.
extension Topic {
    package static let radarNamespace = "radar"
    /// Reserved: it cannot be configured, and nobody names one of its topics from outside.
    package static let radarUpdatesNamespace = "radar-app"

    private static let radarAlertsName = "alerts"

    /// Whether all topics of a radar with this id would be topics.
    package static func isRadarID(_ text: some StringProtocol) -> Bool {
        guard !text.isEmpty, !text.utf8.contains(UInt8(ascii: ":")) else { return false }
        // The longest of them.
        return (try? Topic("\(radarNamespace):\(text):\(radarAlertsName)")) != nil
    }

    /// Of the radar's events.
    package static func radar(_ id: some StringProtocol) -> Topic {
        Topic(trusted: "\(radarNamespace):\(id)")
    }

    /// Of the alerts that rules make of it.
    package static func radarAlerts(_ id: some StringProtocol) -> Topic {
        Topic(trusted: "\(radarNamespace):\(id):\(radarAlertsName)")
    }

    /// Of the messages of the app's own socket.
    package static func radarUpdates(_ id: some StringProtocol) -> Topic {
        Topic(trusted: "\(radarUpdatesNamespace):\(id)")
    }

    /// All topics of a radar.
    package static func all(ofRadar id: some StringProtocol) -> [Topic] {
        [.radar(id), .radarAlerts(id), .radarUpdates(id)]
    }

    /// What stands behind the namespace in a radar's topics; nil for other topics.
    package var radarID: Substring? {
        let namespace = namespace
        guard namespace == Topic.radarNamespace || namespace == Topic.radarUpdatesNamespace,
            namespace.endIndex < name.endIndex
        else { return nil }
        let rest = name[namespace.endIndex...].dropFirst()
        guard let colon = rest.firstIndex(of: ":") else { return rest }
        guard namespace == Topic.radarNamespace,
            rest[colon...].dropFirst() == Topic.radarAlertsName
        else { return nil }
        return rest[..<colon]
    }
}

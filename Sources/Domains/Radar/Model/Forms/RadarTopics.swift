/// The topics of a radar: `radar:{id}` and `radar:{id}:alerts` for all clients that may read it,
/// over every protocol, and `radar-app:{id}` for the sockets of the app, which only the hub writes
/// and reads.
///
/// They are made of the ids of radars, which the hub assigns. Check any other text with `isRadarID`
/// before.
extension Topic {
    package static let radarNamespace = "radar"
    /// Reserved: it cannot be configured, and no request can name one of its topics.
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

    /// The part after the namespace in a radar's topics; nil for other topics.
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

import DomainKit
import Radar

extension TopicSocket {
    /// `GET /api/ws/radar/{id}`: the updates of one radar, in the form of the app that shows it.
    /// Clients that may read the radar's own topic may open its socket.
    ///
    /// - Parameter door: nil for sockets that get only updates.
    package static func radar(_ door: RadarSocketDoor? = nil) -> TopicSocket {
        TopicSocket(
            prefix: "/api/ws/radar/",
            parameter: "id",
            name: "radar",
            notFound: "no such radar",
            admission: { (id, token, now) throws(TokenError) in
                guard let door else { return nil }
                return try door.claims(id, token, now)
            },
            opening: door.map { door in
                TopicSocketOpening(problemOfPosition: problem(ofCursor:)) {
                    try await door.open($0, $1)
                }
            },
            topics: { id in
                Topic.isRadarID(id) ? (readable: .radar(id), sent: .radarUpdates(id)) : nil
            }
        )
    }
}

/// Returns the error in a cursor of the socket; nil if it could be a radar's cursor.
private func problem(ofCursor text: String) -> String? {
    let isID =
        (1...RadarLimits.cursorLengthMax).contains(text.utf8.count)
        && text.utf8.allSatisfy {
            $0 == UInt8(ascii: "-") || Character(UnicodeScalar($0)).isHexDigit
        }
    return isID ? nil : "since is not the cursor of a message"
}

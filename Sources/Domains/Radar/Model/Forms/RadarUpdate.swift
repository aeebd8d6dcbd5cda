/// A message of the socket that the app opens for one radar, `/api/ws/radar/{id}`.
///
/// The app decodes it with a plain decoder and an enum whose coding the compiler wrote: that makes the
/// key `_0` and the dates that count from 2001. It drops any other shape without a word.
package enum RadarUpdate: Sendable, Equatable {
    case newOpinion(Opinion)
    case positionChange(Stance)
    /// The radar and its opinions, the newest first.
    case refresh(RadarState, [Opinion])

    /// One JSON text. The app ignores the keys after `data`.
    ///
    /// - Parameters:
    ///   - cursor: the `since` of a returning reader whose last message was this one; nil if the
    ///     cursor of the message before still applies.
    ///   - isRecovered: of the first `refresh` of a socket: whether all missed updates came before
    ///     it.
    package func message(
        radarID: String,
        cursor: String? = nil,
        isRecovered: Bool? = nil
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("type", type)
            json.field("radarId", radarID)
            json.object("data") { writeData(to: &$0) }
            json.field("cursor", cursor)
            if let isRecovered {
                json.field("recovered", isRecovered)
            } else {
                json.field("recovered", String?.none)
            }
        }
        return json.bytes
    }

    private var type: String {
        switch self {
        case .newOpinion: "newOpinion"
        case .positionChange: "positionChange"
        case .refresh: "refresh"
        }
    }

    private func writeData(to json: inout JSONWriter) {
        switch self {
        case .newOpinion(let opinion):
            json.object("opinion") { json in
                json.object("_0") { opinion.write(to: &$0, dates: .sinceReferenceDate) }
            }
        case .positionChange(let position):
            json.object("position") { $0.field("_0", position.rawValue) }
        case .refresh(let radar, let opinions):
            json.object("radar") { json in
                json.object("_0") {
                    radar.write(to: &$0, opinions: opinions, dates: .sinceReferenceDate)
                }
            }
        }
    }
}

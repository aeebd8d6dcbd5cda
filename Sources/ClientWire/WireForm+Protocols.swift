import PubSub

/// The encodings of a publication that clients can get.
extension WireForm {
    /// `CentrifugePush.publication`, one text message.
    package static let centrifugeJSON = WireForm(rawValue: 0)
    /// `EventStreamEncoder.publication`.
    package static let eventStream = WireForm(rawValue: 1)

    /// Windows, in bits, for which the text message is compressed once and shared.
    package static let sharedWindowBits = [9, 12, 15]

    /// `centrifugeJSON`, compressed for a window of one of `sharedWindowBits`.
    package static func centrifugeJSONDeflated(windowBits: Int) -> WireForm {
        guard let index = sharedWindowBits.firstIndex(of: windowBits) else {
            preconditionFailure("nothing is shared for a window of \(windowBits) bits")
        }
        return WireForm(rawValue: 2 + UInt8(index))
    }

    /// The form for a client whose WebSocket agreed to compress with a window of so many bits, without
    /// taking it over; nil for no compression.
    package static func centrifugeJSON(windowBits: Int?) -> WireForm {
        guard let windowBits, let shared = sharedWindowBits.last(where: { $0 <= windowBits }) else {
            return .centrifugeJSON
        }
        return centrifugeJSONDeflated(windowBits: shared)
    }
}

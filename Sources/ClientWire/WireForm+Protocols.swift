/// The encodings of a publication that clients can get.
extension WireForm {
    /// `CentrifugePush.publication` in JSON, one text message.
    package static let centrifugeJSON = WireForm(rawValue: 0)
    /// `EventStreamEncoder.publication`.
    package static let eventStream = WireForm(rawValue: 1)
    // 2, 3 and 4 are `centrifugeJSON`, compressed.
    /// `CentrifugePush.publication` in Protobuf, one binary message.
    package static let centrifugeProtobuf = WireForm(rawValue: 5)
    /// JSON for a subscriber that agreed to deltas and has no publication in full yet.
    package static let jsonDeltaFirst = WireForm(rawValue: 6)
    /// JSON for a subscriber that has the publication before.
    package static let jsonDelta = WireForm(rawValue: 7)
    /// Protobuf for a subscriber that agreed to deltas and has no publication in full yet.
    package static let protobufDeltaFirst = WireForm(rawValue: 8)
    /// Protobuf for a subscriber that has the publication before.
    package static let protobufDelta = WireForm(rawValue: 9)
    /// As `centrifugeJSON`, for a subscriber whose filter is asked for each publication.
    package static let jsonFiltered = WireForm(rawValue: 10)
    /// As `centrifugeProtobuf`, for a subscriber whose filter is asked for each publication.
    package static let protobufFiltered = WireForm(rawValue: 11)
    /// `CloudEventsEncoder.appendPublication`, one text message.
    package static let cloudEvents = WireForm(rawValue: 12)
    /// The payload as it is, one text message.
    package static let plainText = WireForm(rawValue: 13)

    /// `CentrifugePush.publication` in JSON, in the framing of each subscriber, whose filter is asked.
    package static let clientStream = WireForm(rawValue: 14)

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

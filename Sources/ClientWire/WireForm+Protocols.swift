import PubSub

/// The encodings of a publication that clients can get.
extension WireForm {
    /// `CentrifugePush.publication`, one text message.
    package static let centrifugeJSON = WireForm(rawValue: 0)
    /// `EventStreamEncoder.publication`.
    package static let eventStream = WireForm(rawValue: 1)
}

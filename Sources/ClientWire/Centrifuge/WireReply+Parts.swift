import FoundationEssentials
import SwiftProtobuf

/// The bytes of a message after their length, as in a binary frame.
func delimited(_ message: some SwiftProtobuf.Message) -> [UInt8] {
    var bytes: [UInt8] = []
    appendDelimited(message, to: &bytes)
    return bytes
}

func appendDelimited(_ message: some SwiftProtobuf.Message, to bytes: inout [UInt8]) {
    let body = encoded(message)
    appendVarint(UInt64(body.count), to: &bytes)
    bytes += body
}

func encoded(_ message: some SwiftProtobuf.Message) -> [UInt8] {
    var options = BinaryEncodingOptions()
    options.useDeterministicOrdering = true
    do {
        return try message.serializedBytes(options: options)
    } catch {
        // proto3 has no required fields, and no message comes near 2 GiB.
        preconditionFailure("message that can't be encoded: \(error)")
    }
}

/// The prefix of a field of a message or string type: its number in centrifuge.proto, and the mark
/// that a length follows.
enum ProtobufKey {
    static let subscribeOfReply = UInt8(6 << 3 | 2)
    static let publicationsOfSubscribeResult = UInt8(7 << 3 | 2)
}

/// Empty, which is left out on the wire, for nil.
func wireData(_ bytes: [UInt8]?) -> Data {
    bytes.map { Data($0) } ?? Data()
}

extension WireConnectResult {
    init(_ acceptance: ConnectAcceptance, _ pingSeconds: UInt32?) {
        self.init()
        client = acceptance.clientID
        version = acceptance.version
        if let pingSeconds {
            ping = pingSeconds
            pong = true
        }
        session = acceptance.sessionID
        node = acceptance.node
        expires = acceptance.timeToLiveSeconds != nil
        ttl = toldTimeToLive(acceptance.timeToLiveSeconds)
        data = wireData(acceptance.data)
        for subscription in acceptance.subscriptions {
            subs[subscription.topic.name] =
                WireSubscribeResult(subscription.acceptance, subscription.wasRecovering)
        }
    }
}

extension WireSubscribeResult {
    /// As `JSONWriter.subscription`.
    init(_ acceptance: SubscribeAcceptance, _ wasRecovering: Bool) {
        self.init()
        let subscribed = acceptance.subscribed
        let start = subscribed.start
        recoverable = subscribed.isRecoverable
        positioned = acceptance.isPositioned
        epoch = start.epoch
        offset = start.offset
        self.wasRecovering = wasRecovering
        recovered = subscribed.recovery?.isComplete ?? false
        expires = acceptance.timeToLiveSeconds != nil
        ttl = toldTimeToLive(acceptance.timeToLiveSeconds)
        data = wireData(acceptance.data)
        delta = acceptance.usesDelta
        guard acceptance.recovered == nil else { return }
        publications = (subscribed.recovery?.publications ?? []).map { WirePublication($0, nil) }
    }
}

extension WirePublication {
    /// In full the data are the same whether or not the subscriber takes deltas.
    init(_ publication: Publication, _ delta: CentrifugePush.DeltaForm?) {
        self.init()
        if case .difference(let difference) = delta {
            data = wireData(difference)
            self.delta = true
        } else {
            data = wireData(publication.payload)
        }
        offset = publication.offset
        tags = publication.tags
        if let info = publication.info { self.info = WireClientInfo(info) }
    }
}

extension WireClientInfo {
    init(_ info: ClientInfo) {
        self.init()
        user = info.user
        client = info.client
        connInfo = wireData(info.connectionInfo)
        chanInfo = wireData(info.topicInfo)
    }
}

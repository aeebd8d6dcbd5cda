/// The messages that the hub sends without a request, each one message.
package enum CentrifugePush {
    /// The form in which a subscriber that agreed to deltas receives a publication.
    package enum DeltaForm: Equatable, Sendable {
        /// Whole, to be kept for the next difference.
        case full
        /// The Fossil delta from the publication before, byte by byte.
        case difference([UInt8])
    }

    /// `{"push":{"channel":…,"pub":{"data":…,"offset":…}}}`, with `tags` and `info` if there are any.
    package static func publication(
        _ publication: Publication,
        encoding: ClientEncoding
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        appendPublication(publication, encoding: encoding, to: &bytes)
        return bytes
    }

    /// Appends the result of `publication`.
    package static func appendPublication(
        _ publication: Publication,
        encoding: ClientEncoding,
        to bytes: inout [UInt8]
    ) {
        append(publication, delta: nil, encoding, to: &bytes)
    }

    /// Appends a publication for subscribers that agreed to deltas.
    ///
    /// In JSON `data` is a string: the payload's text, or the difference's. A difference that is no
    /// UTF-8, because it begins or ends within a character, can't be one; the publication is then
    /// written in full.
    package static func appendPublication(
        _ publication: Publication,
        delta: DeltaForm,
        encoding: ClientEncoding,
        to bytes: inout [UInt8]
    ) {
        append(publication, delta: delta, encoding, to: &bytes)
    }

    /// A client has come into a topic.
    package static func join(
        _ topic: Topic,
        _ info: ClientInfo,
        encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json: json(topic, "join") { $0.object("info") { $0.clientInfo(info) } }
        case .protobuf: protobuf(topic) { $0.join.info = WireClientInfo(info) }
        }
    }

    /// A client has left a topic.
    package static func leave(
        _ topic: Topic,
        _ info: ClientInfo,
        encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json: json(topic, "leave") { $0.object("info") { $0.clientInfo(info) } }
        case .protobuf: protobuf(topic) { $0.leave.info = WireClientInfo(info) }
        }
    }

    /// The hub has ended a subscription.
    package static func unsubscribe(
        _ topic: Topic,
        _ code: UnsubscribeCode,
        encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json:
            json(topic, "unsubscribe") {
                $0.field("code", code.code)
                $0.field("reason", code.reason)
            }
        case .protobuf:
            protobuf(topic) {
                $0.unsubscribe.code = code.code
                $0.unsubscribe.reason = code.reason
            }
        }
    }

    /// The hub has subscribed the client. The protocol has no field for recovery here: the client
    /// was connected all the time, and begins with the next publication.
    package static func subscribe(
        _ subscription: ServerSubscription,
        encoding: ClientEncoding
    ) -> [UInt8] {
        let subscribed = subscription.subscribed
        let start = subscribed.start
        switch encoding {
        case .json:
            return json(subscription.topic, "subscribe") {
                $0.field("recoverable", subscribed.isRecoverable)
                $0.field("positioned", true)
                $0.field("epoch", start.epoch)
                $0.field("offset", start.offset)
                $0.data(subscription.data)
            }
        case .protobuf:
            return protobuf(subscription.topic) {
                $0.subscribe.recoverable = subscribed.isRecoverable
                $0.subscribe.positioned = true
                $0.subscribe.epoch = start.epoch
                $0.subscribe.offset = start.offset
                $0.subscribe.data = wireData(subscription.data)
            }
        }
    }

    /// A message to one client, outside all topics.
    package static func message(_ data: [UInt8], encoding: ClientEncoding) -> [UInt8] {
        switch encoding {
        case .json: json(nil, "message") { $0.data(data) }
        case .protobuf: protobuf(nil) { $0.message.data = wireData(data) }
        }
    }

    /// `{"push":{"disconnect":{"code":…,"reason":…}}}`, for transports whose end can't carry a
    /// code. Over WebSocket the close frame carries it.
    package static func disconnect(_ code: DisconnectCode, encoding: ClientEncoding) -> [UInt8] {
        switch encoding {
        case .json:
            json(nil, "disconnect") {
                $0.field("code", code.code)
                $0.field("reason", code.reason)
            }
        case .protobuf:
            protobuf(nil) {
                $0.disconnect.code = UInt32(code.code)
                $0.disconnect.reason = code.reason
            }
        }
    }

    /// The hub has given the connection a new time to live; nil if it has no limit.
    package static func refresh(
        timeToLiveSeconds: UInt32?,
        encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json:
            json(nil, "refresh") { $0.expiry(timeToLiveSeconds) }
        case .protobuf:
            protobuf(nil) {
                $0.refresh.expires = timeToLiveSeconds != nil
                $0.refresh.ttl = toldTimeToLive(timeToLiveSeconds)
            }
        }
    }

    // MARK: Messages

    private static func json(
        _ topic: Topic?,
        _ name: String,
        _ body: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.object("push") {
                if let topic { $0.field("channel", topic.name) }
                $0.object(name, body)
            }
        }
        return json.bytes
    }

    private static func protobuf(_ topic: Topic?, _ body: (inout WirePush) -> Void) -> [UInt8] {
        var reply = WireReply()
        if let topic { reply.push.channel = topic.name }
        body(&reply.push)
        return delimited(reply)
    }
}

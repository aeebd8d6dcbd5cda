/// The client's side of the Centrifuge protocol in JSON: subscribes to topics, keeps their
/// positions, and requests the missed publications after a reconnect.
///
/// **Inputs.** `start()` for each new connection, `receive(_:)` for each text frame.
/// **Duties.** Send what either returns. After a disconnect connect again, unless the close code
/// forbids it (3500…3999 and 4500…4999, protocol/close-codes.md), and `start()`.
/// **Guarantee.** Each offset of a topic is reported once and in order; publications that are no
/// longer available are reported as a gap.
/// **Not here.** Sockets, waiting, making and refreshing tokens.
///
/// Source: protocol/README.md, Client protocol.
package struct CentrifugeSubscriber: Sendable {
    package enum Event: Sendable, Equatable {
        case connected(client: String)
        /// The subscription is live. After a reconnect all missed publications have been reported
        /// before this.
        case subscribed(Topic)
        case publication(Topic, offset: UInt64, payload: [UInt8])
        /// Publications after the last one reported are lost, or the topic has started again.
        case gap(Topic)
        /// The server ended the subscription, or would not begin it.
        case refused(Topic, code: UInt64, message: String)
        /// The server would not let the client connect.
        case rejected(code: UInt64, message: String)
    }

    /// The events of one frame, and the answer to send.
    package struct Received: Sendable, Equatable {
        package var events: [Event] = []
        package var reply: [UInt8] = []
    }

    private let topics: [Topic]
    private var positions: [Topic: Position] = [:]

    /// The connect command has id 1, the subscription to topic i id i + 2.
    private static let connectID: UInt64 = 1

    private let token: String?

    /// - Parameter token: a connection token; nil for a client without one.
    package init(topics: [Topic], token: String? = nil) {
        precondition(!topics.isEmpty)
        self.topics = topics
        self.token = token
    }

    // MARK: Inputs

    /// The first frame of a connection: connect, and subscribe to everything.
    package func start() -> [UInt8] {
        var connect = JSONWriter()
        connect.object {
            $0.field("id", Self.connectID)
            $0.object("connect") {
                if let token { $0.field("token", token) }
                $0.field("name", "varde")
            }
        }
        var frame = connect.bytes
        for index in topics.indices {
            frame.append(UInt8(ascii: "\n"))
            frame += subscribe(index)
        }
        return frame
    }

    package mutating func receive(_ frame: ArraySlice<UInt8>) throws(JSONError) -> Received {
        var received = Received()
        for line in frame.split(separator: UInt8(ascii: "\n")) {
            try receive(line, &received)
        }
        return received
    }

    // MARK: Messages

    private func subscribe(_ index: Int) -> [UInt8] {
        let topic = topics[index]
        var json = JSONWriter()
        json.object {
            $0.field("id", UInt64(index) + Self.connectID + 1)
            $0.object("subscribe") {
                $0.field("channel", topic.name)
                guard let position = positions[topic] else { return }
                $0.field("recover", true)
                $0.field("epoch", position.epoch)
                $0.field("offset", position.offset)
            }
        }
        return json.bytes
    }

    private mutating func receive(
        _ line: ArraySlice<UInt8>,
        _ received: inout Received
    ) throws(JSONError) {
        let fields = try Fields(line)
        if fields.isEmpty {
            // A ping, answered in kind.
            received.reply = Array("{}".utf8)
        } else if let push = fields["push"] {
            try receivePush(push, &received)
        } else if let id = fields.integer("id") {
            try receiveReply(id, fields, &received)
        }
    }

    private mutating func receiveReply(
        _ id: UInt64,
        _ fields: Fields,
        _ received: inout Received
    ) throws(JSONError) {
        if let error = fields["error"] {
            let error = try Fields(error)
            let code = error.integer("code") ?? 0
            let message = error.string("message") ?? ""
            received.events.append(
                topic(of: id).map { .refused($0, code: code, message: message) }
                    ?? .rejected(code: code, message: message)
            )
        } else if let connect = fields["connect"] {
            received.events.append(.connected(client: try Fields(connect).string("client") ?? ""))
        } else if let subscribe = fields["subscribe"], let topic = topic(of: id) {
            try receiveSubscribed(topic, Fields(subscribe), &received)
        }
    }

    private mutating func receiveSubscribed(
        _ topic: Topic,
        _ fields: Fields,
        _ received: inout Received
    ) throws(JSONError) {
        if positions[topic] != nil,
            fields["recovered"].map({ $0.elementsEqual("true".utf8) }) != true
        {
            received.events.append(.gap(topic))
        }
        let epoch = fields.string("epoch") ?? ""
        // The publications of the reply are after its position.
        positions[topic] = Position(offset: fields.integer("offset") ?? 0, epoch: epoch)
        if let publications = fields["publications"] {
            for publication in try JSONReader.elements(of: publications) {
                try receivePublication(topic, Fields(publication), epoch, &received)
            }
        }
        received.events.append(.subscribed(topic))
    }

    private mutating func receivePush(
        _ push: ArraySlice<UInt8>,
        _ received: inout Received
    ) throws(JSONError) {
        let fields = try Fields(push)
        guard let name = fields.string("channel"),
            let topic = topics.first(where: { $0.name == name })
        else { return }
        if let publication = fields["pub"] {
            let epoch = positions[topic]?.epoch ?? ""
            try receivePublication(topic, Fields(publication), epoch, &received)
        } else if let unsubscribe = fields["unsubscribe"] {
            let reason = try Fields(unsubscribe)
            received.events.append(
                .refused(
                    topic,
                    code: reason.integer("code") ?? 0,
                    message: reason.string("reason") ?? ""
                )
            )
        }
    }

    private mutating func receivePublication(
        _ topic: Topic,
        _ fields: Fields,
        _ epoch: String,
        _ received: inout Received
    ) throws(JSONError) {
        let offset = fields.integer("offset") ?? 0
        if let position = positions[topic], position.epoch == epoch {
            // Told already: the server sends each offset in order and may send one again.
            guard offset > position.offset else { return }
        }
        positions[topic] = Position(offset: offset, epoch: epoch)
        received.events.append(
            .publication(topic, offset: offset, payload: Array(fields["data"] ?? []))
        )
    }

    private func topic(of id: UInt64) -> Topic? {
        guard id > Self.connectID, id - Self.connectID <= UInt64(topics.count) else { return nil }
        return topics[Int(id - Self.connectID) - 1]
    }
}

/// The fields of an object by name; the last of duplicate names counts.
private struct Fields {
    private let fields: [(key: String, value: ArraySlice<UInt8>)]

    init(_ object: ArraySlice<UInt8>) throws(JSONError) {
        fields = try JSONReader.fields(of: object)
    }

    var isEmpty: Bool { fields.isEmpty }

    subscript(name: String) -> ArraySlice<UInt8>? { fields.last { $0.key == name }?.value }

    func string(_ name: String) -> String? { self[name].flatMap(JSONReader.string) }

    func integer(_ name: String) -> UInt64? { self[name].flatMap(JSONReader.integer) }
}

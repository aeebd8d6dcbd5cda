/// Publications as CloudEvents 1.0 in structured JSON form, each in one text message of a WebSocket.
///
/// The binding to WebSockets has neither topics nor positions; they are extension attributes here.
/// CloudEvents 1.0.2 §3: names of attributes are lower-case letters and digits, and an Integer has
/// 32 bits, so cursors and offsets are texts.
package enum CloudEventsEncoder {
    /// The subprotocol that a client must offer and the hub must agree to.
    package static let subprotocol = "cloudevents.json"
    /// Of the events that are the hub's own.
    static let source = "/hub"

    /// The beginning of a payload that is taken for a CloudEvent; white space may precede each
    /// part.
    private static let beginning = ["{", #""specversion""#, ":", #""1.0""#].map { Array($0.utf8) }

    /// Appends a publication.
    ///
    /// If a payload begins as a CloudEvent, with `specversion`, the hub's attributes are inserted
    /// after that; the rest is not inspected. Any other payload becomes the data of an event of the
    /// hub, and so does every payload from a client, which could otherwise impersonate a domain.
    ///
    /// - Parameter epoch: that of the topic's offsets.
    package static func appendPublication(
        _ publication: Publication,
        epoch: String,
        to bytes: inout [UInt8]
    ) {
        guard publication.info == nil, let rest = rest(of: publication.payload) else {
            bytes += wrapped(publication, epoch: epoch)
            return
        }
        var json = JSONWriter()
        json.object {
            $0.field("specversion", "1.0")
            addPosition(of: publication, epoch: epoch, to: &$0)
            if let trace = traceToAdd(to: publication) { $0.field(TraceParent.name, trace) }
        }
        bytes.append(contentsOf: json.bytes.dropLast())
        bytes.append(contentsOf: rest)
    }

    /// A backend's CloudEvent with the trace of its publication; nil for any other payload, and for one
    /// without a trace or with one of its own.
    static func tracedPayload(of publication: Publication) -> [UInt8]? {
        guard let trace = traceToAdd(to: publication), let rest = rest(of: publication.payload)
        else { return nil }
        var json = JSONWriter()
        json.object {
            $0.field("specversion", "1.0")
            $0.field(TraceParent.name, trace)
        }
        return json.bytes.dropLast() + rest
    }

    /// CloudEvents' extension "Distributed Tracing"; nil if the publication has no trace, or its payload has
    /// the attribute already.
    private static func traceToAdd(to publication: Publication) -> String? {
        guard let trace = publication.trace else { return nil }
        let fields = try? JSONReader.fields(of: publication.payload[...])
        guard fields?.contains(where: { $0.key == TraceParent.name }) != true else { return nil }
        return trace.description
    }

    /// The rest of a CloudEvent after its first attribute; nil if the payload is not a CloudEvent.
    private static func rest(of payload: [UInt8]) -> ArraySlice<UInt8>? {
        var rest = payload[...]
        for token in beginning {
            rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard rest.starts(with: token) else { return nil }
            rest = rest.dropFirst(token.count)
        }
        return rest
    }

    private static func wrapped(_ publication: Publication, epoch: String) -> [UInt8] {
        // Outside of the history there are no offsets; cursors are assigned only once.
        let number =
            publication.offset > 0 ? "\(publication.offset)" : "0:\(publication.cursor)"
        return event(
            id: "\(epoch):\(publication.topic):\(number)",
            type: "hub.publication",
            subject: publication.topic.name,
            time: publication.time,
            data: publication.payload
        ) {
            addPosition(of: publication, epoch: epoch, to: &$0)
            if let trace = publication.trace { $0.field(TraceParent.name, trace.description) }
        }
    }

    private static func addPosition(
        of publication: Publication,
        epoch: String,
        to json: inout JSONWriter
    ) {
        json.field("hubtopic", publication.topic.name)
        if publication.offset > 0 {
            json.field("hubepoch", epoch)
            json.field("huboffset", String(publication.offset))
        }
        json.field("hubcursor", String(publication.cursor))
    }

    /// The first event of a reader without a cursor. It contains the reader's position, so that it
    /// can resume even if the connection breaks before the next one.
    ///
    /// - Parameter reader: the name of its connection.
    package static func opened(
        reader: String,
        topics: [Topic],
        cursor: UInt64,
        now: Timestamp
    ) -> [UInt8] {
        var data = JSONWriter()
        data.object { json in
            json.field("client", reader)
            json.array("topics") { names in
                for topic in topics { names.value(topic.name) }
            }
        }
        return event(
            id: "\(reader):opened",
            type: "hub.opened",
            time: now,
            data: data.bytes
        ) { $0.field("hubcursor", String(cursor)) }
    }

    /// Notifies a reader of a gap after the cursor `since`, and moves its position.
    package static func gap(
        _ gap: StreamGap,
        since: UInt64,
        position: UInt64,
        reader: String,
        now: Timestamp
    ) -> [UInt8] {
        event(
            id: "\(reader):gap:\(gap.through)",
            type: "hub.gap",
            time: now,
            data: EventStreamEncoder.data(of: gap, since: since)
        ) { $0.field("hubcursor", String(position)) }
    }

    /// Notifies a reader that it receives no more publications of a topic.
    ///
    /// - Parameter cursor: the reader's position; the event does not move it.
    package static func unsubscribed(
        _ topic: Topic,
        _ code: UnsubscribeCode,
        reader: String,
        cursor: UInt64,
        now: Timestamp
    ) -> [UInt8] {
        event(
            id: "\(reader):unsubscribed:\(topic)",
            type: "hub.unsubscribed",
            time: now,
            data: EventStreamEncoder.data(of: topic, code)
        ) { $0.field("hubcursor", String(cursor)) }
    }

    /// The messages that a returning reader receives before live publications, one for each
    /// publication, in the order of `EventStreamEncoder.recovery`.
    ///
    /// - Parameter epoch: of a topic's offsets.
    package static func recovery(
        _ recovery: StreamRecovery,
        since: UInt64,
        reader: String,
        now: Timestamp,
        epoch: (Topic) -> String
    ) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        func append(_ gap: StreamGap, _ position: UInt64) {
            messages.append(
                self.gap(gap, since: since, position: position, reader: reader, now: now)
            )
        }
        recovery.forEachPart(since: since) { part in
            switch part {
            case .publication(let publication):
                var message: [UInt8] = []
                appendPublication(publication, epoch: epoch(publication.topic), to: &message)
                messages.append(message)
            case .gap(let gap, let position): append(gap, position)
            // The same event once more, as the only one that moves the position and nothing else.
            case .end(let gap): append(gap, gap.through)
            }
        }
        return messages
    }

    private static func event(
        id: String,
        type: String,
        subject: String? = nil,
        time: Timestamp,
        data: [UInt8],
        _ addPosition: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("specversion", "1.0")
            addPosition(&$0)
            $0.field("id", id)
            $0.field("source", source)
            $0.field("type", type)
            if let subject { $0.field("subject", subject) }
            $0.field("time", time.iso8601)
            $0.field("datacontenttype", "application/json")
            $0.raw("data", data)
        }
        return json.bytes
    }
}

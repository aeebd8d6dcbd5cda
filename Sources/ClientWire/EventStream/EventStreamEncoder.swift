/// The lines of an event stream (WHATWG HTML, 9.2 Server-sent events).
///
/// The id of every event is the cursor after which the reader goes on if the stream breaks behind
/// it.
package enum EventStreamEncoder {
    package static let contentType = "text/event-stream"

    /// A comment, which readers skip; it keeps the connection alive.
    package static let heartbeat = Array(": hb\n\n".utf8)

    /// The beginning of every stream: the time a reader must wait before it reconnects, and its
    /// position, so that it can resume even if the stream breaks before the first event. An id
    /// without data sets the reader's position and dispatches nothing.
    ///
    /// - Parameter cursor: the position after which a new reader resumes: the hub's newest cursor.
    ///   Nil for a reader with a cursor of its own; `recovery` moves it.
    package static func preamble(retryMilliseconds: Int, cursor: UInt64?) -> [UInt8] {
        var bytes = Array("retry: \(retryMilliseconds)\n".utf8)
        if let cursor { appendLine("id", String(cursor), to: &bytes) }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    package static func publication(_ publication: Publication) -> [UInt8] {
        var bytes: [UInt8] = []
        appendPublication(publication, to: &bytes)
        return bytes
    }

    /// Appends the result of `publication(_:)`.
    package static func appendPublication(_ publication: Publication, to bytes: inout [UInt8]) {
        appendLine("id", String(publication.cursor), to: &bytes)
        appendLine("event", publication.topic.name, to: &bytes)
        let traced = CloudEventsEncoder.tracedPayload(of: publication)
        appendData(traced ?? publication.payload, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Appends data of a topic that keeps nothing and has no cursors. It has no id: the reader's
    /// position stays where it is, for its other topics.
    package static func appendUnkept(_ topic: Topic, _ data: [UInt8], to bytes: inout [UInt8]) {
        appendLine("event", topic.name, to: &bytes)
        appendData(data, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Notifies the reader of a gap after the cursor `since`, and moves its position.
    package static func gap(_ gap: StreamGap, since: UInt64, position: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        appendLine("id", String(position), to: &bytes)
        appendLine("event", "gap", to: &bytes)
        appendData(data(of: gap, since: since), to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    static func data(of gap: StreamGap, since: UInt64) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("reason", gap.reason.rawValue)
            $0.array("topics") { names in
                for topic in gap.topics { names.value(topic.name) }
            }
            $0.field("since", since)
            $0.field("through", gap.through)
        }
        return json.bytes
    }

    /// Tells the reader that nothing more comes of a topic. It has no id: the reader's position stays
    /// where it is, for its other topics.
    package static func unsubscribed(_ topic: Topic, _ code: UnsubscribeCode) -> [UInt8] {
        var bytes: [UInt8] = []
        appendLine("event", "unsubscribed", to: &bytes)
        appendData(data(of: topic, code), to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    static func data(of topic: Topic, _ code: UnsubscribeCode) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("topic", topic.name)
            $0.field("code", code.code)
            $0.field("reason", code.reason)
        }
        return json.bytes
    }

    /// The events that a returning reader receives before live publications.
    ///
    /// Wherever the stream breaks, a reader that resumes after its last id misses no publication and no
    /// gap, and repeats no publication.
    package static func recovery(_ recovery: StreamRecovery, since: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        recovery.forEachPart(since: since) { part in
            switch part {
            case .publication(let publication): appendPublication(publication, to: &bytes)
            case .gap(let gap, let position):
                bytes += self.gap(gap, since: since, position: position)
            case .end(let gap):
                appendLine("id", String(gap.through), to: &bytes)
                bytes.append(UInt8(ascii: "\n"))
            }
        }
        return bytes
    }

    /// One field per line of the payload. A line may end in CR, LF or both; in a JSON text that is
    /// white space, so it does not matter that a reader joins the lines by LF.
    private static func appendData(_ payload: [UInt8], to bytes: inout [UInt8]) {
        let lineFeed = UInt8(ascii: "\n")
        let carriageReturn = UInt8(ascii: "\r")
        bytes.reserveCapacity(bytes.count + payload.count + 8)
        let lines = payload.split(omittingEmptySubsequences: false) {
            $0 == lineFeed || $0 == carriageReturn
        }
        for line in lines where !line.isEmpty || lines.count == 1 {
            bytes.append(contentsOf: "data: ".utf8)
            bytes.append(contentsOf: line)
            bytes.append(lineFeed)
        }
    }

    private static func appendLine(_ name: StaticString, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "\(name): \(value)\n".utf8)
    }
}

import ClientWire
import FuzzKit
import Wire

extension FuzzTarget {
    static let clientTargets = [
        FuzzTarget("client-commands", lengthMax: 2048, dictionary: "centrifuge") {
            try checkCommands($0)
        },
        FuzzTarget("client-protobuf-command", lengthMax: 1024, dictionary: "centrifuge-protobuf") {
            try checkProtobufCommand($0)
        },
        FuzzTarget("client-protobuf-session", lengthMax: 2048, dictionary: "centrifuge-protobuf") {
            try checkProtobufSession($0)
        },
        FuzzTarget("client-replies", lengthMax: 2048, dictionary: "centrifuge") {
            try checkReplies($0)
        },
        FuzzTarget("event-stream-request", lengthMax: 1024, dictionary: "http") {
            try checkEventStreamRequest($0)
        },
        FuzzTarget("event-stream-lines", lengthMax: 512, dictionary: "json") {
            try checkEventStreamLines($0)
        },
        FuzzTarget("cloud-event", lengthMax: 512, dictionary: "json") { try checkCloudEvent($0) },
    ]
}

private let tightLimits = CentrifugeLimits(
    frameLengthMax: 256,
    commandLengthMax: 96,
    subscriptionsMax: 2
)

/// Frames of a client, with what no frame holds between them: 0 ends one, 1 lets a second pass. A frame
/// that is not UTF-8 comes to no session: the WebSocket ends the connection at it (RFC 6455 §8.1).
private func checkCommands(_ bytes: [UInt8]) throws {
    for limits in [CentrifugeLimits(), tightLimits] {
        for letsIn in [true, false] {
            var served = ServedSession(limits: limits, encoding: .json, letsIn: letsIn)
            for (index, turn) in bytes.split(separator: 1).enumerated() {
                for frame in turn.split(separator: 0)
                where String(validating: frame, as: UTF8.self) != nil {
                    try served.receive(Array(frame), now: Int64(index) * 1000)
                }
                try served.timerFired(now: Int64(index + 1) * 1000)
            }
        }
    }
}

/// One message of a client: at most one action, and the same whatever stands beside it.
private func checkProtobufCommand(_ bytes: [UInt8]) throws {
    let connect: [UInt8] = [4, 0x08, 1, 0x22, 0]
    /// Field 100 with the number 1.
    let unknownField: [UInt8] = [0xA0, 0x06, 1]

    func actions(_ frame: [UInt8]) throws -> [SessionAction] {
        var served = ServedSession(limits: CentrifugeLimits(), encoding: .protobuf, letsIn: true)
        try served.receive(connect, now: 0)
        try served.receive(frame, now: 0)
        return served.actions
    }

    let message = delimited(bytes)
    let alone = try actions(message)
    try expect(alone.count <= 1, "\(alone.count) actions of one message")
    let pong: [UInt8] = [0]
    try expect(try actions(pong + message + pong) == alone, "another one between pongs")
    guard alone != [.disconnect(.badRequest)], !bytes.isEmpty else { return }
    let longer = try actions(delimited(bytes + unknownField))
    // Unknown fields alone, without an id, are no pong.
    try expect(
        longer == alone || (alone.isEmpty && longer == [.disconnect(.badRequest)]),
        "another one with an unknown field"
    )
}

private func delimited(_ message: [UInt8]) -> [UInt8] {
    var rest = message.count
    var bytes: [UInt8] = []
    while rest > 0x7F {
        bytes.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
    }
    return bytes + [UInt8(rest)] + message
}

/// Frames of a client, each behind its length in one byte; 255 lets a second pass instead.
private func checkProtobufSession(_ bytes: [UInt8]) throws {
    for limits in [CentrifugeLimits(), tightLimits] {
        for letsIn in [true, false] {
            var served = ServedSession(limits: limits, encoding: .protobuf, letsIn: letsIn)
            var rest = bytes[...]
            var now: Int64 = 0
            while let length = rest.popFirst() {
                if length == 0xFF {
                    now += 1000
                    try served.timerFired(now: now)
                } else {
                    try served.receive(Array(rest.prefix(Int(length))), now: now)
                    rest = rest.dropFirst(Int(length))
                }
            }
        }
    }
}

/// Frames of a server, 0 between them: events of topics that were asked for, or an error.
private func checkReplies(_ bytes: [UInt8]) throws {
    let topics = [Topic(trusted: "a"), Topic(trusted: "b:c")]
    var subscriber = CentrifugeSubscriber(topics: topics)
    for frame in bytes.split(separator: 0) {
        guard let received = try? subscriber.receive(frame) else { continue }
        try expect(received.reply.isEmpty || received.reply == Array("{}".utf8), "reply")
        for event in received.events {
            switch event {
            case .connected, .rejected: break
            case .publication(let topic, _, let payload):
                try expect(topics.contains(topic), "topic \(topic)")
                _ = try JSONReader.elements(
                    of: ([UInt8(ascii: "[")] + payload + [UInt8(ascii: "]")])[...]
                )
            case .subscribed(let topic), .gap(let topic), .refused(let topic, _, _):
                try expect(topics.contains(topic), "topic \(topic)")
            }
        }
        for command in subscriber.start().split(separator: UInt8(ascii: "\n")) {
            _ = try JSONReader.fields(of: command)
        }
    }
}

/// The first line is the query of the target, the second the header `Last-Event-ID`.
private func checkEventStreamRequest(_ bytes: [UInt8]) throws {
    let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let query = String(decoding: lines.first ?? [], as: UTF8.self)
    let head = HTTPRequestHead(target: "/events?" + query)
    let header = lines.count > 1 ? String(decoding: lines[1], as: UTF8.self) : nil
    let answer = Result { () throws(EventStreamRequestError) in
        try EventStreamRequest(query: head.queryItems(), lastEventID: header)
    }
    switch answer {
    case .success(let request): try check(request, header: header)
    case .failure(let error): try checkDescription(error.description)
    }
}

private func check(_ request: EventStreamRequest, header: String?) throws(Violation) {
    let count = request.topics.count
    try expect((1...EventStreamRequest.topicCountMax).contains(count), "\(count) topics")
    try expect(Set(request.topics).count == count, "a topic twice")
    for topic in request.topics {
        try expect((1...Topic.nameLengthMax).contains(topic.name.utf8.count), "\(topic)")
        try expect(topic.name.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(topic)")
    }
    guard let header, !header.isEmpty else { return }
    let cursor = request.afterCursor.map(String.init) ?? ""
    try expect(header.drop { $0 == "0" } == cursor.drop { $0 == "0" }, "\(header), \(cursor)")
}

/// A publication with any payload but line ends alone, which are no JSON, reads as one event with
/// the payload's lines, by the algorithm of WHATWG HTML, 9.2.6.
private func checkEventStreamLines(_ bytes: [UInt8]) throws {
    let publication = Publication(
        topic: Topic(trusted: "a:b"),
        offset: 1,
        cursor: 42,
        time: Timestamp(milliseconds: 0),
        payload: bytes
    )
    let isLineEnd = { (byte: UInt8) in byte == 0x0A || byte == 0x0D }
    guard bytes.isEmpty || !bytes.allSatisfy(isLineEnd) else { return }
    let encoded = EventStreamEncoder.publication(publication)
    var fields: [(name: String, value: [UInt8])] = []
    for line in encoded.split(whereSeparator: isLineEnd) {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        let value = line[colon...].dropFirst()
        let hasSpace = value.first == UInt8(ascii: " ")
        fields.append(
            (
                String(decoding: line[..<colon], as: UTF8.self),
                Array(hasSpace ? value.dropFirst() : value)
            )
        )
    }
    try expect(encoded.suffix(2) == [0x0A, 0x0A], "the event does not end")
    let blank = encoded.dropLast(2).indices.contains {
        encoded[$0] == 0x0A && encoded[$0 + 1] == 0x0A
    }
    try expect(!blank, "the event ends early")
    try expect(fields.prefix(2).map(\.name) == ["id", "event"], "names \(fields.map(\.name))")
    let data = fields.dropFirst(2)
    try expect(!data.isEmpty, "an event without data is not dispatched")
    try expect(data.allSatisfy { $0.name == "data" }, "names \(data.map(\.name))")
    let lines = bytes.split(whereSeparator: isLineEnd).map(Array.init)
    try expect(data.map(\.value).filter { !$0.isEmpty } == lines, "lines \(data.map(\.value))")
}

/// A payload, which is one JSON value, stays whole: as the data of an event, or as an event that has the
/// hub's attributes behind its first one.
private func checkCloudEvent(_ bytes: [UInt8]) throws {
    guard let given = try? JSONReader.fields(of: bytes[...]) else { return }
    let publication = Publication(
        topic: Topic(trusted: "a:b"),
        offset: 1,
        cursor: 42,
        time: Timestamp(milliseconds: 0),
        payload: bytes
    )
    var message: [UInt8] = []
    CloudEventsEncoder.appendPublication(publication, epoch: "e", to: &message)
    // A name that is written with escapes is not taken for it.
    let start = bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard start.starts(with: #"{"specversion":"1.0""#.utf8) else {
        let data = Array(#","data":"#.utf8) + bytes + Array("}".utf8)
        return try expect(message.suffix(data.count).elementsEqual(data), "data was changed")
    }
    // Of white space within the texts it is not, either.
    guard given[0].key == "specversion", given[0].value.elementsEqual(#""1.0""#.utf8) else {
        return
    }
    let fields = try JSONReader.fields(of: message[...])
    let added = ["specversion", "hubtopic", "hubepoch", "huboffset", "hubcursor"]
    try expect(fields.prefix(added.count).map(\.key) == added, "attributes \(fields.map(\.key))")
    let rest = fields.dropFirst(added.count)
    try expect(
        rest.map(\.key) == given.dropFirst().map(\.key)
            && rest.map { Array($0.value) } == given.dropFirst().map { Array($0.value) },
        "members were changed"
    )
}

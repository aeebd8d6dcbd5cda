import ClientWire
import HTTPWire
import JSONText
import PubSub
import Timekeeping

extension FuzzTarget {
    static let clientTargets = [
        FuzzTarget("client-commands", lengthMax: 2048, dictionary: "centrifuge") {
            try checkCommands($0)
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
    ]
}

/// Frames of a client, with what no frame holds between them: 0 ends one, 1 lets a second pass.
private func checkCommands(_ bytes: [UInt8]) throws {
    let tight = CentrifugeLimits(frameLengthMax: 256, commandLengthMax: 96, subscriptionsMax: 2)
    for limits in [CentrifugeLimits(), tight] {
        for letsIn in [true, false] {
            var served = try ServedSession(limits: limits, letsIn: letsIn)
            for (index, turn) in bytes.split(separator: 1).enumerated() {
                for frame in turn.split(separator: 0) {
                    try served.receive(Array(frame), now: Int64(index) * 1000)
                }
                try served.timerFired(now: Int64(index + 1) * 1000)
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

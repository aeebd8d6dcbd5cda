import ClientWire
import Expectations

/// protocol/vectors/event-stream.json. Cursors are texts there: some are over 2^53.
struct EventStreamVectors: Decodable {
    struct Request: Decodable, CustomTestStringConvertible {
        var name: String
        var query: [[String]]
        var header: String?
        var topics: [String]?
        var after: String?
        var error: String?

        var testDescription: String { name }
    }

    struct Preamble: Decodable {
        var name: String
        var retry: Int
        var cursor: String?
        var bytes: String
    }

    struct Event: Decodable {
        var topic: String
        var cursor: String
        var payload: String

        var publication: Publication {
            Publication(
                topic: Topic(trusted: topic),
                offset: 1,
                cursor: UInt64(cursor)!,
                time: Timestamp(milliseconds: 0),
                payload: Array(payload.utf8)
            )
        }
    }

    struct EncodedEvent: Decodable {
        var name: String
        var topic: String
        var cursor: String
        var payload: String
        var bytes: String
    }

    struct Gap: Decodable {
        var reason: String
        var topics: [String]
        var through: String

        var gap: StreamGap {
            StreamGap(
                reason: StreamGap.Reason(rawValue: reason)!,
                topics: topics.map { Topic(trusted: $0) },
                through: UInt64(through)!
            )
        }
    }

    struct Recovery: Decodable {
        var name: String
        var since: String
        var publications: [Event]
        var gap: Gap?
        var bytes: String
    }

    struct Unsubscribed: Decodable {
        var topic: String
        var code: UInt32
        var bytes: String
    }

    var requests: [Request]
    var preambles: [Preamble]
    var publications: [EncodedEvent]
    var recoveries: [Recovery]
    var unsubscribed: Unsubscribed
    var heartbeat: String

    static let file = Result { try Vectors.load("event-stream.json", as: EventStreamVectors.self) }

    /// Empty when the file can't be read; a test of its own says so.
    static var allRequests: [Request] { (try? file.get().requests) ?? [] }
}

@Suite("Requests for event streams", .timeLimit(.minutes(10)))
struct EventStreamRequestTests {
    @Test func fileCanBeRead() throws {
        try expect(EventStreamVectors.file.get().requests.count > 10)
    }

    @Test(arguments: EventStreamVectors.allRequests)
    func requestIsReadAsWritten(vector: EventStreamVectors.Request) throws {
        let query = vector.query.map { (name: $0[0], value: $0[1]) }
        do {
            let request = try EventStreamRequest(query: query, lastEventID: vector.header)
            expectEqual(request.topics.map(\.name), vector.topics)
            expectEqual(request.afterCursor.map(String.init), vector.after)
        } catch {
            expectEqual(error.description, vector.error)
        }
    }

    @Test(arguments: [
        ("beginning", nil, nil, true), ("", nil, nil, false), ("beginning", "7", nil, false),
        ("beginning", nil, "7", false), ("beginning", "", "", true),
    ])
    func sinceBeginningHoldsWithoutACursor(
        since: String,
        header: String?,
        cursor: String?,
        isFromBeginning: Bool
    ) throws {
        var query = [(name: "topics", value: "t:1"), (name: "since", value: since)]
        if let cursor { query.append((name: "last_event_id", value: cursor)) }
        let request = try EventStreamRequest(query: query, lastEventID: header)
        expectEqual(request.isFromBeginning, isFromBeginning)
    }

    @Test(arguments: ["start", "Beginning", "0", "beginning "])
    func otherValueOfSinceIsRefused(since: String) {
        #expect(throws: EventStreamRequestError.badSince) {
            try EventStreamRequest(
                query: [(name: "topics", value: "t:1"), (name: "since", value: since)],
                lastEventID: nil
            )
        }
    }

    @Test func hundredTopicsAreAllowedAndOneMoreIsNot() throws {
        let names = (0..<101).map { "t:\($0)" }
        let hundred = names.dropLast().joined(separator: ",")
        let request = try EventStreamRequest(
            query: [("topics", hundred), ("topics", "t:0")],
            lastEventID: nil
        )
        expectEqual(request.topics.count, 100)
        #expect(throws: EventStreamRequestError.tooManyTopics) {
            try EventStreamRequest(
                query: [("topics", names.joined(separator: ","))],
                lastEventID: nil
            )
        }
        expectEqual(EventStreamRequestError.tooManyTopics.description, "more than 100 topics")
    }
}

@Suite("Bytes of event streams", .timeLimit(.minutes(10)))
struct EventStreamEncoderTests {
    @Test func preamblesAreAsWritten() throws {
        for vector in try EventStreamVectors.file.get().preambles {
            let bytes = EventStreamEncoder.preamble(
                retryMilliseconds: vector.retry,
                cursor: vector.cursor.flatMap { UInt64($0) }
            )
            expectEqual(text(bytes), vector.bytes, "\(vector.name)")
        }
    }

    /// Without an id: the reader's position stays where it is.
    @Test func dataThatIsNotKeptHasNoID() {
        var bytes = Array("x".utf8)
        EventStreamEncoder.appendUnkept(Topic(trusted: "a:b"), Array("{}".utf8), to: &bytes)
        expectEqual(String(decoding: bytes, as: UTF8.self), "xevent: a:b\ndata: {}\n\n")
    }

    @Test func endOfASubscriptionIsAsWritten() throws {
        let vector = try EventStreamVectors.file.get().unsubscribed
        let code = try require(UnsubscribeCode.all.first { $0.code == vector.code })
        let bytes = EventStreamEncoder.unsubscribed(Topic(trusted: vector.topic), code)
        expectEqual(text(bytes), vector.bytes)
    }

    @Test func publicationsAreAsWritten() throws {
        for vector in try EventStreamVectors.file.get().publications {
            let event = EventStreamVectors.Event(
                topic: vector.topic,
                cursor: vector.cursor,
                payload: vector.payload
            )
            let bytes = EventStreamEncoder.publication(event.publication)
            expectEqual(text(bytes), vector.bytes, "\(vector.name)")
            var appended = Array("before".utf8)
            EventStreamEncoder.appendPublication(event.publication, to: &appended)
            expectEqual(appended, Array("before".utf8) + bytes)
        }
    }

    @Test func recoveriesAreAsWritten() throws {
        for vector in try EventStreamVectors.file.get().recoveries {
            let recovery = StreamRecovery(
                publications: vector.publications.map(\.publication),
                gaps: vector.gap.map { [$0.gap] } ?? []
            )
            let bytes = EventStreamEncoder.recovery(recovery, since: UInt64(vector.since)!)
            expectEqual(text(bytes), vector.bytes, "\(vector.name)")
        }
    }

    @Test func heartbeatIsAComment() throws {
        try expectEqual(text(EventStreamEncoder.heartbeat), EventStreamVectors.file.get().heartbeat)
    }

    @Test func gapsAreToldBeforeWhatPassesThem() {
        let events = [("60", "1"), ("80", "2")].map {
            EventStreamVectors.Event(topic: "b", cursor: $0.0, payload: $0.1).publication
        }
        let gaps = [(Topic(trusted: "a"), 70), (Topic(trusted: "c"), 90)].map {
            StreamGap(reason: .evicted, topics: [$0.0], through: UInt64($0.1))
        }
        let recovery = StreamRecovery(publications: events, gaps: gaps)
        let told = text(EventStreamEncoder.recovery(recovery, since: 50)).split(separator: "\n")
            .filter { !$0.hasPrefix("data: ") }
        expectEqual(
            told,
            [
                "id: 50", "event: gap", "id: 50", "event: gap", "id: 60", "event: b", "id: 80",
                "event: b", "id: 90",
            ]
        )
    }

    @Test func readerIsMovedBehindAGapAfterTheLastPublication() {
        let event = EventStreamVectors.Event(topic: "b", cursor: "60", payload: "1")
        let gap = StreamGap(reason: .evicted, topics: [Topic(trusted: "a")], through: 70)
        let recovery = StreamRecovery(publications: [event.publication], gaps: [gap])
        let bytes = text(EventStreamEncoder.recovery(recovery, since: 50))
        expect(bytes.hasPrefix(text(EventStreamEncoder.gap(gap, since: 50, position: 50))))
        expect(bytes.hasSuffix("id: 60\nevent: b\ndata: 1\n\nid: 70\n\n"))
        // One publication fewer, and the gap itself moves it.
        let empty = StreamRecovery(publications: [], gaps: [gap])
        expectEqual(
            EventStreamEncoder.recovery(empty, since: 50),
            EventStreamEncoder.gap(gap, since: 50, position: 70)
        )
    }

    /// A topic without a history has its gap at the newest cursor, where another one's publication is: a
    /// reader that has this publication is behind the loss.
    @Test func gapThatEndsAtAPublicationComesBeforeIt() {
        let event = EventStreamVectors.Event(topic: "b", cursor: "60", payload: "1").publication
        let gap = StreamGap(reason: .evicted, topics: [Topic(trusted: "a")], through: 60)
        let recovery = StreamRecovery(publications: [event], gaps: [gap])
        expectEqual(
            EventStreamEncoder.recovery(recovery, since: 50),
            EventStreamEncoder.gap(gap, since: 50, position: 50)
                + EventStreamEncoder.publication(event)
        )
    }

    /// The gap of an unknown cursor ends at the same place everywhere.
    @Test func gapOfAnUnknownCursorIsToldAtItsEnd() {
        let events = ["60", "80"].map {
            EventStreamVectors.Event(topic: "b", cursor: $0, payload: "1").publication
        }
        let gaps = [(StreamGap.Reason.unknownCursor, 70), (.evicted, 75)].map {
            StreamGap(reason: $0.0, topics: [Topic(trusted: "a")], through: UInt64($0.1))
        }
        let recovery = StreamRecovery(publications: events, gaps: gaps)
        let told = text(EventStreamEncoder.recovery(recovery, since: 50)).split(separator: "\n")
            .filter { $0.hasPrefix("id: ") }
        expectEqual(told, ["id: 50", "id: 60", "id: 70", "id: 80"])
    }

    /// A stream may break behind any event. A reader that comes back with the last id gets the rest,
    /// and has received the gap before, which a node with more of the history would not report.
    @Test func readerThatIsCutOffAnywhereComesBackToTheRest() {
        let connection = StreamFixture()
        let whole = connection.events(after: 101)
        expectEqual(whole.map(\.id), [101, 102, 104, 105, 106, 107])
        expectEqual(whole.map(\.name), ["gap", "b:1", "b:1", "a:1", "b:1", "a:1"])
        for (index, event) in whole.enumerated() {
            let rest = connection.events(after: event.id)
            let expected = whole[(index + 1)...].map(\.id)
            // The gap again, as long as the reader is in it.
            let isInside = event.id < 103
            expectEqual((rest.first?.name == "gap"), isInside, "after \(event.id)")
            expectEqual(rest.dropFirst(isInside ? 1 : 0).map(\.id), expected, "after \(event.id)")
        }
    }
}

/// Topic a:1 has cursors 101, 103, 105 and 107 and keeps the last two, b:1 has 102, 104 and 106 and
/// keeps all.
private final class StreamFixture {
    private var hub = LoopTopics(
        epoch: "e",
        cursorBase: 100,
        namespaces: NamespaceTable(histories: [
            "a": HistoryLimit(count: 2, age: nil), "b": HistoryLimit(count: 9, age: nil),
        ])
    )
    private let topics = [Topic(trusted: "a:1"), Topic(trusted: "b:1")]

    init() {
        for cursor in UInt64(101)...107 {
            let isFirst = cursor % 2 == 1
            hub.publish(
                Publication(
                    topic: topics[isFirst ? 0 : 1],
                    offset: isFirst ? (cursor - 99) / 2 : (cursor - 100) / 2,
                    cursor: cursor,
                    time: Timestamp(milliseconds: 0),
                    payload: Array("0".utf8)
                )
            )
        }
    }

    func events(after cursor: UInt64) -> [(id: UInt64, name: String)] {
        let recovery = hub.publications(of: topics, afterCursor: cursor)
        let blocks = text(EventStreamEncoder.recovery(recovery, since: cursor))
            .split(separator: "\n\n")
        return blocks.map { block in
            let lines = block.split(separator: "\n")
            return (UInt64(lines[0].dropFirst("id: ".count))!, String(lines[1].dropFirst(7)))
        }
    }
}

@Suite("Heartbeats of event streams", .timeLimit(.minutes(10)))
struct EventStreamHeartbeatTests {
    @Test func silenceOfAnIntervalIsBroken() {
        var heartbeat = EventStreamHeartbeat(now: 1000)
        expectEqual(heartbeat.deadline, 16_000)
        let early = heartbeat.timerFired(now: 15_999)
        expectNil(early)
        let due = heartbeat.timerFired(now: 16_000)
        expectEqual(due, EventStreamEncoder.heartbeat)
        expectEqual(heartbeat.deadline, 31_000)
    }

    @Test func everythingThatIsWrittenPutsItOff() {
        var heartbeat = EventStreamHeartbeat(now: 0, interval: .seconds(2))
        heartbeat.wrote(now: 1500)
        expectEqual(heartbeat.deadline, 3500)
        let early = heartbeat.timerFired(now: 2000)
        expectNil(early)
    }
}

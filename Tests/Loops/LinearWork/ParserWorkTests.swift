import ClientWire
import Expectations
import LoopTesting
import Wire

@testable import Loops

/// Twice as much input is twice the work of each parser.
@Suite("Linear work: requests, streams and parsers", .timeLimit(.minutes(10)))
struct ParserWorkTests {
    private func list(_ units: Int, _ element: (Int) -> String) -> String {
        (0..<units).map(element).joined(separator: ",")
    }

    // MARK: HTTP

    @Test func pipelinedRequests() throws {
        try expectLinearWork("pipelined requests") { units in
            let fixture = try WorkFixture(connects: false)
            let request = "OPTIONS /events HTTP/1.1\r\nHost: h\r\n\r\n"
            let bytes = Array(String(repeating: request, count: units).utf8)
            return { fixture.handle(bytes) }
        }
    }

    @Test func headers() throws {
        let limits = HTTPLimits(headBytesMax: 1 << 20, headerCountMax: 10_000)
        try expectLinearWork("header fields") { units in
            let fields = (0..<units).map { "X-Field-\($0): value\r\n" }.joined()
            let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n".utf8)
            return { try read(bytes, limits, pieceMax: .max) }
        }
    }

    @Test(arguments: [1, 100])
    func contentInPieces(pieceMax: Int) throws {
        let limits = HTTPLimits(bodyBytesMax: 1 << 20)
        try expectLinearWork("content in pieces of \(pieceMax)", units: 400) { units in
            let content = String(repeating: "x", count: units)
            let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(units)\r\n\r\n"
            let bytes = Array((head + content).utf8)
            return { try read(bytes, limits, pieceMax: pieceMax) }
        }
        try expectLinearWork("chunks in pieces of \(pieceMax)", units: 100) { units in
            let chunks = String(repeating: "1\r\nx\r\n", count: units)
            let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            let bytes = Array((head + chunks + "0\r\n\r\n").utf8)
            return { try read(bytes, limits, pieceMax: pieceMax) }
        }
    }

    private func read(_ bytes: [UInt8], _ limits: HTTPLimits, pieceMax: Int) throws {
        var machine = HTTPMachine(limits: limits)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieceMax))
            rest = rest.dropFirst(piece.count)
            var consumed = 0
            piece.withUnsafeBufferPointer { buffer in
                while machine.receive(buffer, consumed: &consumed) != nil {}
            }
        }
        expectEqual(machine.keepsAlive(isDraining: false), true)
    }

    // MARK: WebSocket

    @Test func fragments() throws {
        try expectLinearWork("fragments") { units in
            let first = clientFrame(1, Array("x".utf8), isFinal: false)
            let next = clientFrame(0, Array("x".utf8), isFinal: false)
            let last = clientFrame(0, Array("x".utf8))
            let bytes = first + (0..<units).flatMap { _ in next } + last
            return {
                var connection = WebSocketConnection(role: .server)
                var output: [UInt8] = []
                for byte in bytes {
                    var input = [byte]
                    var consumed = 0
                    input.withUnsafeMutableBufferPointer { buffer in
                        var span = buffer.mutableSpan
                        _ = connection.receive(&span, consumed: &consumed, output: &output)
                    }
                }
            }
        }
    }

    @Test func echoedMessages() throws {
        try expectLinearWork("echoed messages") { units in
            let fixture = try WorkFixture(connects: false) { $0.turnWorkBytesMax = 10 }
            fixture.client.upgrade("/echo")
            let frame = clientFrame(1, Array("0123456789".utf8))
            let bytes = (0..<units).flatMap { _ in frame }
            return { fixture.handle(bytes) }
        }
    }

    // MARK: Streams

    @Test(arguments: ["", "&since=beginning", "&last_event_id=\(LoopFixture.cursorBase)"])
    func eventStreamWithManyTopics(query: String) throws {
        for isWebSocket in [false, true] {
            try expectLinearWork("topics of a stream\(query)", units: 12) { units in
                let fixture = try WorkFixture(connects: false)
                for number in 0..<units { fixture.hub.publish("news:\(number)", "1") }
                let topics = list(units) { "news:\($0)" }
                let target = "/events?topics=\(topics)\(query)"
                let request =
                    isWebSocket
                    ? webSocketRequest(target, ["Sec-WebSocket-Protocol: cloudevents.json"])
                    : httpRequest("GET", target)
                let bytes = Array(request.utf8)
                return { fixture.handle(bytes) }
            }
        }
    }

    @Test(arguments: ["/connection/http_stream", "/connection/sse"])
    func commandsOfAClientWithoutAWebSocket(path: String) throws {
        // An opening by GET arrives in one piece, as far as it may.
        let units = path.hasSuffix("sse") ? 20 : 40
        try expectLinearWork("commands of \(path)", units: units) { units in
            let fixture = try WorkFixture(connects: false) {
                $0.http = HTTPLimits(startLineLengthMax: 1 << 20, headBytesMax: 2 << 20)
            }
            let lines = (0..<units).map {
                #"{"id":\#($0 + 2),"subscribe":{"channel":"news:\#($0)"}}"#
            }
            let commands = ([#"{"id":1,"connect":{}}"#] + lines).joined(separator: "\n")
            let request =
                path.hasSuffix("sse")
                ? httpRequest("GET", path + "?cf_connect=" + escaped(commands))
                : "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(commands.utf8.count)\r\n\r\n"
                    + commands
            let bytes = Array(request.utf8)
            return { fixture.handle(bytes) }
        }
    }

    private func escaped(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    // MARK: Server API

    /// Requests of each method with a part that can be long.
    @Test func requestsOfTheServerAPI() throws {
        let limits = ServerAPILimits(
            channelsMax: 10_000,
            commandsMax: 10_000,
            publicationsMax: 10_000,
            tagsMax: 10_000,
            whitelistMax: 10_000
        )
        for method in ServerAPIMethod.allCases {
            try expectLinearWork("\(method)") { units in
                let texts = list(units) { #""c:\#($0)""# }
                let tags = list(units) { #""t\#($0)":"\#($0)""# }
                let commands = list(units) {
                    #"{"\#(methods[$0 % methods.count])":{"channel":"c:\#($0)","data":1}}"#
                }
                let body = Array(
                    (#"{"channel":"c:a","user":"u","data":1,"channels":[\#(texts)],"#
                        + #""whitelist":[\#(texts)],"tags":{\#(tags)},"commands":[\#(commands)],"#
                        + #""unknown":[\#(texts)],"uid":"1"}"#).utf8
                )
                return { _ = try? ServerAPIRequest(method, body: body, limits: limits) }
            }
        }
    }

    private let methods = ServerAPIMethod.allCases.filter { $0 != .batch }.map(\.rawValue)

    // MARK: JSON

    @Test func json() throws {
        let forms: [(name: String, text: (Int) -> String)] = [
            ("fields", { units in "{" + list(units) { #""f\#($0)":\#($0)"# } + "}" }),
            ("escapes", { #"{"a":""# + String(repeating: #"\u00e6\n"#, count: $0) + #""}"# }),
            ("blanks", { "{" + String(repeating: " ", count: $0) + "}" }),
        ]
        for (name, text) in forms {
            try expectLinearWork(name, units: 100) { units in
                let bytes = Array(text(units).utf8)
                return {
                    for field in try JSONReader.fields(of: bytes[...]) {
                        _ = JSONReader.string(field.value)
                    }
                }
            }
        }
    }

    // MARK: Values

    @Test(arguments: [false, true])
    func presenceOfAClientInManyTopics(isReversed: Bool) throws {
        try expectLinearWork("presence") { units in
            let topics = (0..<units).map { Topic(trusted: "c:\($0)") }
            let info = ClientInfo(user: "u", client: "1")
            return {
                var table = PresenceTable()
                for topic in topics { table.join(topic, info) }
                for topic in isReversed ? topics.reversed() : topics {
                    table.leave(topic, client: "1")
                }
                expectEqual(table.count, 0)
            }
        }
    }
}

/// The counter itself.
@Suite("Linear work: the counter", .enabled(if: Work.isCounted), .timeLimit(.minutes(10)))
struct WorkCounterTests {
    /// A list that is copied for each of its elements is found, as the rest of a message was.
    @Test(arguments: [false, true]) func copyForEachElementIsFound(inATask: Bool) throws {
        let growth = try WorkGrowth(units: 40) { units in
            let texts = (0..<units).map { "a text that is long enough for the heap, \($0)" }
            let copy: @Sendable () -> Void = {
                var rest = texts[...]
                while let text = rest.popFirst() { rest = ([text] + rest).dropFirst() }
            }
            return inATask ? { CallingThread.run { copy() } } : copy
        }
        expect(growth.excess != nil, "\(growth)")
    }

    @Test func oneOfEachIsLinear() throws {
        let growth = try WorkGrowth(units: 40) { units in
            { _ = (0..<units).map { "a text that is long enough for the heap, \($0)" } }
        }
        expectNil(growth.excess, "\(growth)")
    }

    @Test(arguments: [
        // One of the sizes takes less than its share.
        (allocations: [800, 1569, 2786, 6179], isLinear: true),
        (allocations: [800, 1100, 3100, 6200], isLinear: true),
        (allocations: [400, 800, 1600, 3200], isLinear: true),
        (allocations: [400, 900, 2000, 4500], isLinear: true),
        (allocations: [400, 1200, 4000, 14400], isLinear: false),
        (allocations: [400, 1600, 6400, 25600], isLinear: false),
    ])
    func lastStepIsComparedWithTheSteepestBeforeIt(allocations: [Int], isLinear: Bool) {
        let works = allocations.map { Work(allocations: $0, bytes: 0) }
        expectEqual((WorkGrowth(works: works).excess == nil), isLinear)
    }
}

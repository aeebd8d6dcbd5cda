import ClientWire
import Core
import Expectations
import Foundation
import LoopTesting
import Wire

@testable import Loops

/// The client protocol over one response and requests.
@Suite("Loop: clients without a WebSocket", .timeLimit(.minutes(10)))
struct LoopClientStreamTests {
    private static let lines = "/connection/http_stream"
    private static let events = "/connection/sse"
    private static let connect = #"{"id":1,"connect":{}}"#
    private static let connectQuery = "?cf_connect=%7B%22id%22%3A1%2C%22connect%22%3A%7B%7D%7D"

    /// A stream that has begun, and its session.
    private func open(
        _ framing: ClientStreamFraming,
        on hub: LoopFixture
    ) async throws -> (client: LoopTestClient, session: String) {
        let client = try hub.connect()
        switch framing {
        case .lines: try await client.send(httpRequest("POST", Self.lines, body: Self.connect))
        case .events: try await client.send(httpRequest("GET", Self.events + Self.connectQuery))
        }
        let head = try await client.receiveHead()
        expectEqual(head.status, 200)
        expectEqual(head.fields["content-type"], framing.contentType)
        expectNil(head.fields["content-length"])
        let reply = try await message(framing, client)
        return (client, try require(text("session", in: reply)))
    }

    /// The next message that is no ping: the first ping comes at a random moment, which may be at once.
    private func message(
        _ framing: ClientStreamFraming,
        _ client: LoopTestClient
    ) async throws -> String {
        while true {
            let text =
                switch framing {
                case .lines: try await client.receive(through: "\n").dropLast()
                case .events:
                    try await client.receive(through: "\n\n").dropFirst("data: ".count).dropLast(2)
                }
            if text != "{}" { return String(text) }
        }
    }

    /// The status of the answer to a request with these commands.
    private func emulate(
        _ hub: LoopFixture,
        _ session: String,
        _ commands: String,
        node: String = "varde"
    ) async throws -> Int {
        let escaped = commands.replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        let body = #"{"session":"\#(session)","node":"\#(node)","data":"\#(escaped)"}"#
        let client = try hub.connect()
        try await client.send(httpRequest("POST", "/emulation", body: body))
        let status = try await client.receiveResponse().status
        await client.close()
        return status
    }

    private static func limits(frameLengthMax: Int) -> CentrifugeLimits {
        CentrifugeLimits(
            frameLengthMax: frameLengthMax,
            commandLengthMax: frameLengthMax,
            pingInterval: .seconds(3600),
            pongTimeout: .seconds(3599)
        )
    }

    private let subscribe = #"{"id":2,"subscribe":{"channel":"news:a"}}"#

    @Test(arguments: [ClientStreamFraming.lines, .events], [1, 3])
    func clientSubscribesAndReceives(framing: ClientStreamFraming, loops: Int) async throws {
        try await withLoops(loops: loops) { hub in
            let (client, session) = try await open(framing, on: hub)
            try await expectEqual(emulate(hub, session, subscribe), 204)
            let reply = try await message(framing, client)
            expect(reply.hasPrefix(#"{"id":2,"subscribe":"#))
            hub.publish("news:a", "1", "2")
            for offset in 1...2 {
                let push = try await message(framing, client)
                expectEqual(
                    push,
                    #"{"push":{"channel":"news:a","pub":{"data":\#(offset),"offset":\#(offset)}}}"#
                )
            }
        }
    }

    @Test func requestsReachTheirClientFromEveryLoop() async throws {
        try await withLoops(loops: 3) { hub in
            let (client, session) = try await open(.lines, on: hub)
            for id in 2..<14 {
                let command = #"{"id":\#(id),"unsubscribe":{"channel":"news:a"}}"#
                try await expectEqual(emulate(hub, session, command), 204)
                try await expectEqual(message(.lines, client), #"{"id":\#(id),"unsubscribe":{}}"#)
            }
        }
    }

    @Test func clientRecoversWhatItMissed() async throws {
        try await withLoops { hub in
            hub.publish("news:a", "1", "2", "3")
            let (client, session) = try await open(.lines, on: hub)
            let recover =
                #"{"id":2,"subscribe":{"channel":"news:a","recover":true,"epoch":"e1","offset":1}}"#
            try await expectEqual(emulate(hub, session, recover), 204)
            let reply = try await message(.lines, client)
            expect(reply.contains(#""offset":1,"was_recovering":true,"recovered":true"#))
            expectEqual(offsets(in: reply).suffix(2), [2, 3])
        }
    }

    @Test func filterIsAskedAndDeltasAreNotAgreedTo() async throws {
        try await withLoops { hub in
            let (client, session) = try await open(.lines, on: hub)
            let filtered =
                #"{"id":2,"subscribe":{"channel":"news:a","tf":{"key":"k","cmp":"eq","val":"v"}}}"#
            let delta = #"{"id":3,"subscribe":{"channel":"news:b","delta":"fossil"}}"#
            try await expectEqual(emulate(hub, session, filtered + "\n" + delta), 204)
            _ = try await message(.lines, client)
            try await expect(!message(.lines, client).contains("delta"))
            hub.publish([.init(topic: topic("news:a"), data: Array("1".utf8))], tags: ["k": "w"])
            hub.publish([.init(topic: topic("news:a"), data: Array("2".utf8))], tags: ["k": "v"])
            try await expect(message(.lines, client).contains(#""data":2"#))
        }
    }

    /// An image on any page makes the request.
    @Test(arguments: [
        ("publish", #"{"channel":"news:a","data":1}"#), ("rpc", #"{"method":"hub.topics"}"#),
        ("unsubscribe", #"{"channel":"news:a"}"#), ("history", #"{"channel":"news:a"}"#),
        ("presence", #"{"channel":"news:a"}"#), ("presence_stats", #"{"channel":"news:a"}"#),
        ("refresh", #"{"token":"t"}"#), ("sub_refresh", #"{"channel":"news:a","token":"t"}"#),
        ("send", #"{"data":1}"#), ("ping", "{}"), ("nothing", "{}"),
    ])
    func queryConnectsAndSubscribesAndDoesNothingElse(method: String, fields: String) async throws {
        let store = FixtureStore()
        try await withLoops(store: store) { hub in
            let command = #"{"id":3,"\#(method)":\#(fields)}"#
            for commands in [
                [Self.connect, command], [Self.connect, subscribe, command], [command],
            ] {
                let client = try hub.connect()
                let query = commands.joined(separator: "\n").utf8.map {
                    String(format: "%%%02X", $0)
                }
                let target = Self.events + "?cf_connect=" + query.joined()
                try await client.send(httpRequest("GET", target))
                let response = try await client.receiveResponse()
                expectEqual(response.status, 400)
                let text = "expected connect or subscribe in cf_connect, others at /emulation"
                expectEqual(response.body, "command \(commands.count): \(text)\n")
            }
            expectEqual(store.parts.withLock { $0 }, 0)
        }
    }

    @Test func queryMaySubscribe() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let query = (Self.connect + "\n" + subscribe).utf8.map { String(format: "%%%02X", $0) }
            try await client.send(
                httpRequest("GET", Self.events + "?cf_connect=" + query.joined())
            )
            try await expectEqual(client.receiveHead().status, 200)
            _ = try await message(.events, client)
            try await expect(message(.events, client).hasPrefix(#"{"id":2,"subscribe""#))
        }
    }

    @Test func clientPublishes() async throws {
        try await withLoops { hub in
            let (client, session) = try await open(.events, on: hub)
            let publish = #"{"id":2,"publish":{"channel":"news:a","data":{"n":1}}}"#
            try await expectEqual(emulate(hub, session, publish), 204)
            try await expectEqual(message(.events, client), #"{"id":2,"publish":{}}"#)
        }
    }

    @Test func hubEndsAClientWithAMessage() async throws {
        try await withLoops { hub in
            let (client, session) = try await open(.lines, on: hub)
            try await expectEqual(emulate(hub, session, "no command"), 204)
            let last = try await message(.lines, client)
            expectEqual(last, #"{"push":{"disconnect":{"code":3501,"reason":"bad request"}}}"#)
            try await expectEqual(client.receiveAll(), "")
            try await expectEqual(emulate(hub, session, subscribe), 404)
        }
    }

    @Test func clientThatHasGoneIsNotFound() async throws {
        try await withLoops { hub in
            let (client, session) = try await open(.lines, on: hub)
            await client.close()
            await hub.loops[0].perform { loop in
                for id in loop.connections.openConnections() {
                    if case .client = loop.session(of: id) { loop.connections.abort(id) }
                }
            }
            try await expectEqual(emulate(hub, session, subscribe), 404)
        }
    }

    // MARK: Refused

    @Test func sessionHasToBeRightInEveryPart() async throws {
        try await withLoops { hub in
            let (client, session) = try await open(.lines, on: hub)
            let parts = session.split(separator: "-", maxSplits: 3).map(String.init)
            let others = [
                "", "x", "0-0", "\(parts[0])-\(parts[1])-\(parts[2])",
                "7-\(parts[1])-\(parts[2])-\(parts[3])",
                "-1-\(parts[1])-\(parts[2])-\(parts[3])",
                "\(parts[0])-999-\(parts[2])-\(parts[3])",
                "\(parts[0])-\(parts[1])-9-\(parts[3])",
                String(session.dropLast()), session + "0", String(session.dropLast()) + "g",
            ]
            for other in others {
                let expected = other.isEmpty ? 400 : 404
                try await expectEqual(emulate(hub, other, subscribe), expected, "\(other)")
            }
            try await expectEqual(emulate(hub, session, subscribe, node: "other"), 404)
            try await expectEqual(emulate(hub, session, subscribe, node: ""), 204)
            _ = try await message(.lines, client)
        }
    }

    /// Neither others in the topic nor the log name it.
    @Test func sessionIsNotTheNameOfTheClient() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(httpRequest("POST", Self.lines, body: Self.connect))
            _ = try await client.receiveHead()
            let reply = try await message(.lines, client)
            let id = try require(text("client", in: reply))
            let session = try require(text("session", in: reply))
            expect(!session.contains(id))
            try await expectEqual(emulate(hub, id, subscribe), 404)
        }
    }

    @Test func webSocketTakesNoCommandsOfRequests() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let reply = try await client.command(Self.connect)
            let session = try require(text("session", in: reply))
            try await expectEqual(emulate(hub, session, subscribe), 404)
            try await expectEqual(emulate(hub, "0-0-0-\(session)", subscribe), 404)
        }
    }

    @Test(arguments: [
        ("POST", "/connection/http_stream", "", 400), ("GET", "/connection/http_stream", "", 405),
        ("GET", "/connection/sse", "", 400), ("POST", "/connection/sse", "{}", 405),
        ("GET", "/connection/sse?cf_connect=", "", 400), ("GET", "/emulation", "", 405),
        ("POST", "/emulation", "", 400), ("POST", "/emulation", "{}", 400),
    ])
    func requestThatOpensNothingIsRefused(
        method: String,
        target: String,
        body: String,
        status: Int
    ) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(httpRequest(method, target, body: body))
            try await expectEqual(client.receiveResponse().status, status)
        }
    }

    @Test(arguments: [(0, 200), (1, 413)])
    func firstCommandsAreAsLongAsThoseOfANewWebSocket(more: Int, status: Int) async throws {
        let length = 200
        try await withLoops({ $0.connectBytesMax = length }) { hub in
            let padding = String(repeating: " ", count: length + more - Self.connect.utf8.count)
            let client = try hub.connect()
            try await client.send(httpRequest("POST", Self.lines, body: Self.connect + padding))
            try await expectEqual(client.receiveHead().status, status)
            await expectEqual(hub.count(.connectBytes), UInt64(more))
        }
    }

    /// With the line feed that is put behind them.
    @Test(arguments: [(-1, 204), (0, 413)])
    func commandsOfARequestAreAsLongAsAMessage(more: Int, status: Int) async throws {
        let length = 300
        try await withLoops({ $0.client = Self.limits(frameLengthMax: length) }) { hub in
            let (client, session) = try await open(.lines, on: hub)
            let padding = String(repeating: " ", count: length + more - subscribe.utf8.count)
            try await expectEqual(emulate(hub, session, subscribe + padding), status)
            if status == 204 {
                try await expect(message(.lines, client).hasPrefix(#"{"id":2"#))
            }
        }
    }

    @Test func protobufAndBytesThatAreNotUTF8AreRefused() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let type = ["Content-Type: application/octet-stream"]
            try await client.send(httpRequest("POST", Self.lines, type, body: Self.connect))
            try await expectEqual(client.receiveResponse().status, 415)
            let other = try hub.connect()
            let head = httpRequest("POST", Self.lines, ["Content-Length: 1"])
            try await other.send(Array(head.utf8) + [0xFF])
            try await expectEqual(other.receiveResponse().status, 400)
        }
    }

    @Test(arguments: ["https://evil.example", "null"])
    func otherPageIsRefused(origin: String) async throws {
        try await withLoops { hub in
            for (method, target, body) in [
                ("POST", Self.lines, Self.connect), ("GET", Self.events + Self.connectQuery, ""),
                ("POST", "/emulation", #"{"session":"s","data":"x"}"#),
            ] {
                let client = try hub.connect()
                try await client.send(
                    httpRequest(method, target, ["Origin: \(origin)"], body: body)
                )
                try await expectEqual(client.receiveResponse().status, 403)
            }
        }
    }

    @Test func preflightAllowsTheMethodOfTheResource() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            for (target, allowed) in [
                (Self.lines, "POST, OPTIONS"), (Self.events, "GET, HEAD, OPTIONS"),
                ("/emulation", "POST, OPTIONS"),
            ] {
                try await client.send(httpRequest("OPTIONS", target))
                let response = try await client.receiveResponse()
                expectEqual(response.status, 204)
                expectEqual(response.fields["allow"], allowed)
            }
        }
    }

    @Test func streamIsCountedByItsTransport() async throws {
        try await withLoops { hub in
            let (first, _) = try await open(.lines, on: hub)
            let (second, _) = try await open(.events, on: hub)
            let open = await hub.loops[0].perform { loop in
                var open = OpenConnections()
                for id in loop.connections.openConnections() { open.count(loop.session(of: id)) }
                return open
            }
            expectEqual(open.streams, [.lines: 1, .events: 1])
            expectEqual(open.clients, 2)
            await first.close()
            await second.close()
        }
    }

    /// What waits for later turns is at most one message.
    @Test func commandsThatWaitAreBounded() async throws {
        let change: (inout LoopSettings) -> Void = {
            $0.turnWorkBytesMax = 1
            $0.client = Self.limits(frameLengthMax: 400)
        }
        try await withLoops(change) { hub in
            let (client, session) = try await open(.lines, on: hub)
            let commands = (2...9).map { #"{"id":\#($0),"unsubscribe":{"channel":"a:b"}}"# }
            try await expectEqual(emulate(hub, session, commands.joined(separator: "\n")), 204)
            for id in 2...9 {
                try await expectEqual(message(.lines, client), #"{"id":\#(id),"unsubscribe":{}}"#)
            }
        }
    }
}

import ClientWire
import Expectations
import Foundation
import HubTesting
import LoopTesting
import Loops
import Service
import Wire

@testable import RadarApp

/// One line when a client has come, one when it has gone, for every protocol.
@Suite("Loop: log and counters of clients", .timeLimit(.minutes(10)))
struct LoopLogTests {
    private typealias Fields = [String: Logger.MetadataValue]

    /// Runs `body`, and returns the lines at level info, in their order.
    private func lines(
        _ change: (inout LoopSettings) -> Void = { _ in },
        _ body: (LoopFixture) async throws -> Void
    ) async throws -> [(message: String, fields: Fields)] {
        let log = RecordedLog()
        try await withLoops(change, logger: log.logger, body)
        return log.lines.withLock { $0 }
    }

    @Test func socketOfARadarHasTwoLines() async throws {
        let log = RecordedLog()
        let radars = RadarDirectory(["7": RadarDirectory.Entry(owner: "1", isPublic: true)])
        try await withLoops(
            namespaces: RadarFixture.namespaces,
            topicRules: ["radar": RadarTopicRules(radars: radars)],
            sockets: [.radar()],
            reserved: .reserved,
            logger: log.logger
        ) { hub in
            let client = try hub.connect()
            try await client.upgrade("/api/ws/radar/7")
            radars.remove("7")
            await hub.transport.endRadar("7")
            _ = try await client.receiveClose()
            await client.close()
        }
        let lines = log.lines.withLock { $0 }
        expectEqual(lines.map(\.message), ["client connected", "client disconnected"])
        for line in lines {
            expectEqual(text(line.fields["transport"]), "websocket")
            expectEqual(text(line.fields["protocol"]), "radar")
        }
        expectEqual(text(lines[1].fields["code"]), "3510")
        expectEqual(text(lines[1].fields["reason"]), "topic removed")
    }

    private func text(_ value: Logger.MetadataValue?) -> String? { value.map { "\($0)" } }

    @Test func clientOfTheClientProtocolHasTwoLines() async throws {
        let lines = try await lines { hub in
            let client = try hub.connect()
            try await client.upgrade()
            _ = try await client.command(#"{"id":1,"connect":{"name":"test"}}"#)
            try await client.sendText("not a command")
            _ = try await client.receiveClose()
            await client.close()
        }
        expectEqual(lines.map(\.message), ["client connected", "client disconnected"])
        for line in lines {
            expectEqual(text(line.fields["transport"]), "websocket")
            expectEqual(text(line.fields["protocol"]), "json")
            expectEqual(text(line.fields["remote"]), "127.0.0.1")
            expectEqual(text(line.fields["user"]), "")
            expectEqual(text(line.fields["node"]), "varde")
        }
        expectEqual(lines[0].fields["client"], lines[1].fields["client"])
        expectEqual(text(lines[0].fields["library"]), "test")
        expectEqual(text(lines[0].fields["event"]), "client.connected")
        expectEqual(text(lines[1].fields["event"]), "client.disconnected")
        expectEqual(text(lines[1].fields["code"]), "3501")
        expectEqual(text(lines[1].fields["reason"]), "bad request")
        expect(Int(text(lines[1].fields["duration_ms"]) ?? "") != nil)
    }

    @Test(arguments: [("eventstream", "eventstream", 0), ("websocket", "cloudevents", 1)])
    func readerOfAStreamHasTwoLines(
        transport: String,
        wireProtocol: String,
        isWebSocket: Int
    ) async throws {
        let lines = try await lines { hub in
            let client = try hub.connect()
            let offer = "Sec-WebSocket-Protocol: cloudevents.json"
            try await client.send(
                isWebSocket == 1
                    ? webSocketRequest("/events?topics=news:a", [offer])
                    : httpRequest("GET", "/events?topics=news:a")
            )
            let head = try await client.receiveHead()
            expectEqual(head.status, (isWebSocket == 1 ? 101 : 200))
            let drain = Task.detached { await hub.transport.drain(timeout: .seconds(3600)) }
            if isWebSocket == 1 { _ = try await client.receiveClose() }
            if isWebSocket == 0 { _ = try await client.receiveAll() }
            await client.close()
            await drain.value
        }
        expectEqual(lines.map(\.message), ["client connected", "client disconnected"])
        for line in lines {
            expectEqual(text(line.fields["transport"]), transport)
            expectEqual(text(line.fields["protocol"]), wireProtocol)
            expectEqual(text(line.fields["remote"]), "127.0.0.1")
        }
        expectEqual(text(lines[1].fields["code"]), "3001")
        expectEqual(text(lines[1].fields["reason"]), "shutdown")
    }

    /// An anonymous client can connect and leave as often as it likes.
    @Test func linesOfClientsHaveALimitedRate() async throws {
        let (logger, lines) = StreamedLog.make()
        try await withLoops(logger: logger) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            await client.close()
            let reader = try hub.connect()
            try await reader.send(httpRequest("GET", "/events?topics=news:a"))
            _ = try await reader.receiveHead()
            await reader.close()
            try await hub.wait { await hub.loops[0].connectionCount == 0 }
        }
        let logged = await lines.next(4)
        expectEqual(logged.count { $0.message == "client connected" }, 2)
        expectEqual(logged.count { $0.message == "client disconnected" }, 2)
        for line in logged { expectEqual(line.source, LogSource.peer, "\(line.message)") }
    }

    @Test func tokenIsNotInTheLog() async throws {
        let token = "certainly.no.token"
        let lines = try await lines { hub in
            let client = try hub.connect()
            try await client.upgrade()
            try await client.sendText(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
            _ = try await client.receiveClose()
            await client.close()
            let reader = try hub.connect()
            _ = try await reader.get("/events?topics=news:a&token=\(token)")
        }
        expect(lines.contains { $0.message == "token refused" })
        expect(!"\(lines)".contains(token))
    }

    // MARK: Counters

    @Test func endsErrorsAndRecoveriesAreCounted() async throws {
        try await withLoops { hub in
            hub.publish("news:a", "1", "2")
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.command(#"{"id":2,"subscribe":{"channel":"nowhere:a"}}"#)
            _ = try await client.command(#"{"id":3,"history":{"channel":"nowhere:a"}}"#)
            _ = try await client.command(#"{"id":4,"publish":{"channel":"told:a","data":1}}"#)
            _ = try await client.command(
                #"{"id":5,"subscribe":{"channel":"news:a","recover":true,"epoch":"e1","offset":0}}"#
            )
            _ = try await client.command(
                #"{"id":6,"subscribe":{"channel":"news:b","recover":true,"epoch":"old","offset":1}}"#
            )
            hub.publish("news:a", "3")
            _ = try await client.receiveText()
            await client.reset()
            while await hub.loops[0].connectionCount > 0 { try await hub.settle() }

            let counters = await hub.loops[0].counted
            expectEqual(
                counters.replyErrors,
                [
                    ReplyError(method: "subscribe", code: 102): 1,
                    ReplyError(method: "history", code: 102): 1,
                    ReplyError(method: "publish", code: 103): 1,
                ]
            )
            expectEqual(counters.recoveries, [.complete: 1, .unknown: 1])
            expectEqual(counters.recovered.sum, 2)
            expectEqual(counters.disconnects.values.reduce(0, +), 1)
            expectEqual(counters.disconnects.keys.map(\.code), [0])
            expectEqual(counters.published, ["news": 3])
            expectEqual(counters.deliveries, 1)
            expectEqual(counters.publishToWrite.count, 2)
            expectEqual(counters.handshake.count, 1)
            expect(counters.broadcast.count >= 1)
            expect(counters.turn.count > 5)
        }
    }

    @Test func openConnectionsAreToldByWhatTheySpeak() async throws {
        try await withLoops { hub in
            let json = try hub.connect()
            try await json.connectSession()
            let protobuf = try hub.connect()
            try await protobuf.upgrade("/connection/websocket?format=protobuf")
            let echo = try hub.connect()
            try await echo.upgrade("/echo")
            let stream = try hub.connect()
            try await stream.send(httpRequest("GET", "/events?topics=news:a"))
            _ = try await stream.receiveHead()
            let counters = await hub.loops[0].snapshot()
            expectEqual(counters.open.json, 1)
            expectEqual(counters.open.protobuf, 1)
            expectEqual(counters.open.echo, 1)
            expectEqual(counters.open.eventStream, 1)
            expectEqual(counters.open.clients, 3)
            expectEqual(counters.queueBytes.count, 4)
            // What a scraper gets of a hub that has done something.
            var text = MetricsText()
            text.write(loops: [counters], bounds: BoundCounts(), HeldMemory())
            let metrics = try Exposition(text.text)
            let labels = ["transport": "eventstream", "protocol": "eventstream"]
            expectEqual(metrics.value("hub_connections", labels), 1)
        }
    }
}

import ClientWire
import Expectations
import HubTesting
import LoopTesting
import Loops
import Service

@testable import RadarApp

@Suite("Loop: the socket of a radar", .timeLimit(.minutes(10)))
struct LoopRadarSocketTests {
    private typealias Frame = LoopTestClient.Frame

    private static let update = #"{ "type":"positionChange", "radarId":"open","data":{} }"#

    // MARK: Updates

    @Test func updateIsOneTextMessageToTheByte() async throws {
        try await withRadars { context in
            let sockets = [try await context.socket("open"), try await context.socket("open")]
            let owner = try await context.socket("own", token: try context.tokens.connection("1"))
            context.hub.publish("radar:open", #"{"specversion":"1.0"}"#)
            context.hub.publish("radar-app:open", Self.update)
            context.hub.publish("radar-app:own", "1")
            for socket in sockets {
                let frame = try await socket.receiveFrame()
                expectEqual(frame, Frame(opcode: Frame.text, payload: Array(Self.update.utf8)))
            }
            let other = try await owner.receiveFrame()
            expectEqual(other, Frame(opcode: Frame.text, payload: [0x31]))
            await expectEqual(context.hub.loops[0].counted.deliveries, 3)
            await expectEqual(context.hub.loops[0].snapshot().open.sockets, ["radar": 3])
        }
    }

    @Test func compressionIsAgreedToAndUpdatesStayPlain() async throws {
        try await withRadars { context in
            let offer = "Sec-WebSocket-Extensions: permessage-deflate"
            let (client, head) = try await context.handshake("open", offer)
            expectEqual(head.status, 101)
            expectEqual(head.fields["sec-websocket-extensions"]?.hasPrefix("permessage"), true)
            expectNil(head.fields["sec-websocket-protocol"])
            context.hub.publish("radar-app:open", Self.update)
            try await expectEqual(client.receiveText(), Self.update)
        }
    }

    // MARK: Who may have it

    /// Not to be told apart: a private radar and none.
    @Test(arguments: [true, false])
    func onlyReadersOfTheRadarAreLetIn(requiresToken: Bool) async throws {
        try await withRadars({ $0.requiresToken = requiresToken }) { context in
            let owner = try context.tokens.connection("1")
            let other = try context.tokens.connection("2")
            let expired = try context.tokens.expiredConnection("1")
            var sockets: [LoopTestClient] = []
            for (token, statuses) in [
                (nil, [101, 401, 401]), (other, [101, 404, 404]), (owner, [101, 101, 404]),
                (expired, [401, 401, 401]), ("x", [401, 401, 401]),
            ] {
                var refusals: [Int: Set<String>] = [:]
                for (id, status) in zip(["open", "own", "gone"], statuses) {
                    let (client, head) = try await context.handshake(id, token: token)
                    expectEqual(head.status, status, "\(id) \(token ?? "")")
                    guard status != 101 else {
                        sockets.append(client)
                        continue
                    }
                    let length = Int(head.fields["content-length"] ?? "") ?? 0
                    let body = String(decoding: try await client.receive(length), as: UTF8.self)
                    refusals[status, default: []].insert(body)
                }
                expect(refusals.values.allSatisfy { $0.count == 1 }, "\(refusals)")
            }
            await expectEqual(context.hub.loops[0].subscriptionCount, sockets.count)
        }
    }

    @Test func tokenMayStandInTheQuery() async throws {
        try await withRadars { context in
            let token = try context.tokens.connection("1")
            let (_, head) = try await context.handshake("own?token=\(token)")
            expectEqual(head.status, 101)
        }
    }

    @Test func tokenThatNamesTheRadarsTopicOpensIt() async throws {
        try await withRadars { context in
            let token = try context.tokens.connection("2", topics: ["radar:own", "radar:gone"])
            try await expectEqual(context.handshake("own", token: token).head.status, 101)
            try await expectEqual(context.handshake("gone", token: token).head.status, 404)
        }
    }

    @Test(arguments: ["", "/", "open/", "own%00", "OPEN", String(repeating: "x", count: 300)])
    func nameThatIsNoRadarsIsUnknown(name: String) async throws {
        try await withRadars { context in
            let token = try context.tokens.connection("1")
            try await expectEqual(context.handshake(name, token: token).head.status, 404)
            try await expectEqual(context.handshake(name).head.status, 401)
        }
    }

    @Test(arguments: ["open", "own", "gone"])
    func requestWithoutAnUpgradeIsToldToUpgrade(id: String) async throws {
        try await withRadars { context in
            let client = try context.hub.connect()
            let response = try await client.get("/api/ws/radar/\(id)")
            expectEqual(response.status, 426)
            let other = try context.hub.connect()
            try await other.send(httpRequest("POST", "/api/ws/radar/\(id)"))
            try await expectEqual(other.receiveResponse().status, 405)
        }
    }

    @Test func handshakeThatFailsLeavesNoSubscription() async throws {
        let shared = HubShared()
        try await withRadars(shared: shared) { context in
            let client = try context.hub.connect()
            let token = try context.tokens.connection("1")
            let request = webSocketRequest("/api/ws/radar/own?token=\(token)")
            try await client.send(request.replacing("Version: 13", with: "Version: 12"))
            try await expectEqual(client.receiveResponse().status, 426)
            await expectEqual(context.hub.loops[0].subscriptionCount, 0)
            expectEqual(shared.clients.userCount, 0)
        }
    }

    @Test func withoutRadarsThePathIsTheRoutes() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let response = try await client.get("/api/ws/radar/open")
            expectEqual(response.body, "GET /api/ws/radar/open ")
        }
    }

    @Test func pageThatIsNotAllowedIsToldNothingOfRadars() async throws {
        try await withRadars { context in
            for id in ["open", "own", "gone"] {
                let (_, head) = try await context.handshake(id, "Origin: https://else.example")
                expectEqual(head.status, 403)
            }
        }
    }

    @Test func socketCountsAsAConnectionOfItsUser() async throws {
        let shared = HubShared(clients: ClientCensus(connectionsPerUserMax: 1))
        try await withRadars(shared: shared) { context in
            let token = try context.tokens.connection("1")
            let first = try await context.socket("own", token: token)
            try await expectEqual(context.handshake("own", token: token).head.status, 503)
            await expectEqual(context.hub.loops[0].counted.bounds[.connectionsPerUser], 1)
            await first.close()
            try await context.hub.settle()
            expectEqual(shared.clients.userCount, 0)
            _ = try await context.socket("own", token: token)
        }
    }

    // MARK: Its end

    @Test(arguments: [Frame.text, Frame.binary])
    func appThatSpeaksIsClosed(opcode: UInt8) async throws {
        try await withRadars { context in
            let client = try await context.socket("open")
            try await client.send(clientFrame(opcode, Array("{}".utf8)))
            try await expect(client.receiveClose() == (1003, "inappropriate protocol"))
            await expectEqual(context.hub.loops[0].subscriptionCount, 0)
        }
    }

    @Test func pingIsAnsweredAndCloseConfirmed() async throws {
        try await withRadars { context in
            let client = try await context.socket("open")
            try await client.send(clientFrame(Frame.ping, [1, 2]))
            let pong = try await client.receiveFrame()
            expectEqual(pong, Frame(opcode: Frame.pong, payload: [1, 2]))
            try await client.send(clientFrame(Frame.close, [3, 232]))
            try await expectEqual(client.receiveClose().code, 1000)
            await client.close()
            try await context.hub.settle()
            await expectEqual(context.hub.loops[0].subscriptionCount, 0)
        }
    }

    @Test func moreControlFramesThanAllowedCloseIt() async throws {
        try await withRadars({ $0.controlFramesMax = 2 }) { context in
            let client = try await context.socket("open")
            // In one piece, so that they come in one second.
            let ping = clientFrame(Frame.ping, [])
            try await client.send(ping + ping + ping)
            try await expectEqual(client.receiveClose().code, 1008)
            await expectEqual(context.hub.loops[0].counted.bounds[.controlFrames], 1)
        }
    }

    @Test func silentAppIsPingedAndThenClosed() async throws {
        let change: (inout LoopSettings) -> Void = {
            $0.pingInterval = .milliseconds(10)
            $0.pongTimeout = .milliseconds(10)
        }
        try await withRadars(change) { context in
            let client = try await context.socket("open")
            try await expectEqual(client.receiveFrame().opcode, Frame.ping)
            try await expect(client.receiveClose() == (1008, "no pong"))
        }
    }

    @Test func socketEndsWithItsToken() async throws {
        try await withRadars { context in
            let token = try context.tokens.connection("1", lifetime: .seconds(600))
            let client = try await context.socket("own", token: token)
            await context.hub.loops[0].letTimePass(.seconds(601))
            try await expect(client.receiveClose() == (1008, "connection expired"))
        }
    }

    @Test func hubThatStopsSaysSo() async throws {
        try await withRadars { context in
            let client = try await context.socket("open")
            let transport = context.hub.transport
            let drain = Task.detached { await transport.drain(timeout: .seconds(3600)) }
            try await expect(client.receiveClose() == (1001, "shutdown"))
            await client.close()
            await drain.value
        }
    }

    /// There is no history to catch up from.
    @Test func slowAppIsCutOff() async throws {
        try await withRadars { context in
            let (client, _) = try await context.handshake("open")
            let update = #""\#(String(repeating: "x", count: 256 << 10))""#
            while await context.hub.loops[0].counted.disconnects.isEmpty {
                context.hub.publish("radar-app:open", update)
                try await context.hub.settle()
            }
            let cause = DisconnectCause(.slow, .queueOverflow)
            await expectEqual(context.hub.loops[0].counted.disconnects, [cause: 1])
            await client.close()
        }
    }
}

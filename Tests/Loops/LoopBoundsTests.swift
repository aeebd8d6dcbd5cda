import Configuration
import Expectations
import HubTesting
import LoopTesting
import Reactor
import Service
import Wire

@testable import Loops

/// Each bound of a connection: at the limit, one over it, and the counter that tells of it.
@Suite("Loop: bounds", .timeLimit(.minutes(10)))
struct LoopBoundsTests {
    private typealias Frame = LoopTestClient.Frame

    @Test(arguments: ["/echo", "/connection/websocket"])
    func messageOverItsLimitIsTooBig(path: String) async throws {
        try await withLoops({ $0.webSocket = WebSocketLimits(messageLengthMax: 100) }) { hub in
            let within = try hub.connect()
            try await within.upgrade(path)
            try await within.send(
                clientFrame(Frame.ping, []) + clientFrame(Frame.binary, bytes(100))
            )
            try await expectEqual(within.receiveFrame().opcode, Frame.pong)
            await expectEqual(hub.count(.messageBytes), 0)

            let beyond = try hub.connect()
            try await beyond.upgrade(path)
            try await beyond.send(
                clientFrame(Frame.binary, bytes(60), isFinal: false) + clientFrame(0, bytes(41))
            )
            try await expectEqual(beyond.receiveClose().code, 1009)
            await expectEqual(hub.count(.messageBytes), 1)
        }
    }

    @Test func frameOverItsLimitIsTooBig() async throws {
        try await withLoops({
            $0.webSocket = WebSocketLimits(messageLengthMax: 1000, frameLengthMax: 100)
        }) { hub in
            let client = try hub.connect()
            try await client.upgrade("/echo")
            try await client.send(clientFrame(Frame.binary, bytes(100)))
            try await expectEqual(client.receiveFrame().payload.count, 100)
            try await client.send(clientFrame(Frame.binary, bytes(101)))
            try await expectEqual(client.receiveClose().code, 1009)
            await expectEqual(hub.count(.frameBytes), 1)
        }
    }

    @Test func messageOfTooManyFragmentsIsRefused() async throws {
        try await withLoops({ $0.webSocket = WebSocketLimits(fragmentsPerMessageMax: 3) }) { hub in
            let client = try hub.connect()
            try await client.upgrade("/echo")
            let start = clientFrame(Frame.binary, [1], isFinal: false)
            let middle = clientFrame(0, [2], isFinal: false)
            try await client.send(start + middle + clientFrame(0, [3]))
            try await expectEqual(client.receiveFrame().payload, [1, 2, 3])
            try await client.send(start + middle + middle + clientFrame(0, [3]))
            let code = try await client.receiveClose().code
            expectEqual(code, Int(WebSocketError.tooManyFragments(limit: 3).closeCode.rawValue))
            await expectEqual(hub.count(.fragments), 1)
        }
    }

    @Test(arguments: ["/echo", "/connection/websocket"])
    func controlFramesOverTheirLimitAreAgainstThePolicy(path: String) async throws {
        try await withLoops({ $0.controlFramesMax = 4 }) { hub in
            let client = try hub.connect()
            try await client.upgrade(path)
            try await client.send((0..<2).flatMap { _ in clientFrame(Frame.ping, []) })
            for _ in 0..<2 { try await expectEqual(client.receiveFrame().opcode, Frame.pong) }
            // More than any second can take, however the seconds fall.
            try await client.send((0..<9).flatMap { _ in clientFrame(Frame.ping, []) })
            var frame = try await client.receiveFrame()
            while frame.opcode == Frame.pong { frame = try await client.receiveFrame() }
            expectEqual(frame.opcode, Frame.close)
            expectEqual(frame.payload.prefix(2), [3, 240])
            await expectEqual(hub.count(.controlFrames), 1)
        }
    }

    @Test func connectionTooManyIsToldToComeLater() async throws {
        try await withLoops({
            $0.connections.connectionsMax = 1
            $0.connections.refusal = Refusal(ServerResponse.overloaded)
        }) { hub in
            let first = try hub.connect()
            try await first.upgrade("/echo")
            let second = try hub.connect()
            let answer = try await second.get("/livez")
            expectEqual(answer.status, 503)
            expectEqual(answer.fields["retry-after"], "5")
            expectEqual(answer.fields["connection"], "close")
            await expectEqual(hub.count(.connections), 1)
            try await first.sendText("still served")
            try await expectEqual(first.receiveText(), "still served")
        }
    }

    @Test func requestThatDoesNotComeInTimeIsCounted() async throws {
        try await withLoops({ $0.requestTimeout = .milliseconds(300) }) { hub in
            let silent = try hub.connect()
            try await expectEqual(silent.receiveAll(), "")
            let slow = try hub.connect(sending: "GET /")
            try await expect(slow.receiveAll().hasPrefix("HTTP/1.1 408 "))
            await expectEqual(hub.count(.handshakeTimeout), 2)
            await expectEqual(hub.count(.idleTimeout), 0)
        }
    }

    @Test func idleConnectionIsCounted() async throws {
        try await withLoops({ $0.idleTimeout = .milliseconds(50) }) { hub in
            let client = try hub.connect()
            _ = try await client.get("/livez")
            try await expectEqual(client.receiveAll(), "")
            await expectEqual(hub.count(.idleTimeout), 1)
        }
    }

    @Test func echoThatAnswersAPingIsPingedAgain() async throws {
        try await withLoops({
            $0.pingInterval = .milliseconds(50)
            $0.pongTimeout = .seconds(3600)
        }) { hub in
            let client = try hub.connect()
            try await client.upgrade("/echo")
            for _ in 0..<3 {
                try await expectEqual(client.receiveFrame(), Frame(opcode: Frame.ping, payload: []))
                try await client.send(clientFrame(Frame.pong, []))
            }
            await expectEqual(hub.count(.pongTimeout), 0)
        }
    }

    @Test func echoThatDoesNotAnswerAPingIsCutOff() async throws {
        try await withLoops({
            $0.pingInterval = .milliseconds(50)
            $0.pongTimeout = .milliseconds(50)
        }) { hub in
            let client = try hub.connect()
            try await client.upgrade("/echo")
            try await expectEqual(client.receiveFrame(), Frame(opcode: Frame.ping, payload: []))
            try await expectEqual(client.receiveAll(), "")
            await expectEqual(hub.count(.pongTimeout), 1)
        }
    }

    @Test func clientThatDoesNotCloseItsEndIsCutOff() async throws {
        try await withLoops({
            $0.controlFramesMax = 1
            $0.closeTimeout = .milliseconds(50)
        }) { hub in
            let client = try hub.connect()
            try await client.upgrade("/echo")
            try await client.send((0..<4).flatMap { _ in clientFrame(Frame.ping, []) })
            for _ in 0..<4 { try await expectEqual(client.receiveFrame().opcode, Frame.pong) }
            try await expectEqual(client.receiveClose().code, 1008)
            try await expectEqual(client.receiveAll(), "")
            await expectEqual(hub.count(.closeTimeout), 1)
        }
    }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }
}

@Suite("ControlFrameBudget", .timeLimit(.minutes(10)))
struct ControlFrameBudgetTests {
    @Test func secondTakesItsLimitAndNotOneMore() {
        var budget = ControlFrameBudget()
        let taken = [5_000, 5_000, 5_999, 5_999, 6_000].map { budget.take(now: $0, max: 3) }
        expectEqual(taken, [true, true, true, false, true])
        let isTaken = budget.take(3, now: 6_500, max: 3)
        expect(!isTaken, "with the one before there are four")
    }
}

@Suite("Bounds and their keys", .timeLimit(.minutes(10)))
struct BoundTests {
    /// An operator who reads the label finds the key.
    @Test func everyBoundButTheProcesssOwnIsAConfigurationKey() {
        let keys = Set(ConfigurationSchema().keys.map(\.path))
        for bound in Bound.allCases where bound != .descriptors {
            expect(keys.contains(bound.rawValue), "\(bound.rawValue)")
        }
    }

    @Test func countsAreAddedUpByBound() {
        var sum = BoundCounts()
        var other = BoundCounts()
        sum[.connections] = 1
        other[.connections] = 2
        other[.fragments] = 5
        sum += other
        expectEqual(sum[.connections], 3)
        expectEqual(sum[.fragments], 5)
        expectEqual(sum[.queueBytes], 0)
    }

    @Test(
        arguments: [
            (20_000, 1_000_000, 20_000), (20_000, 20_000, 19_936), (100, 164, 100), (101, 164, 100),
            (100, 64, 1), (100, 3, 1),
        ]
    )
    func connectionsLeaveDescriptorsForTheRest(configured: Int, descriptors: Int, allowed: Int) {
        expectEqual(
            DescriptorLimit.connections(configured: configured, descriptors: descriptors),
            allowed
        )
    }

    /// The first lines of a development hub need no attention.
    @Test(arguments: [(true, Logger.Level.info), (false, .warning)])
    func fewerConnectionsAreLogged(isDevelopment: Bool, level: Logger.Level) async {
        let (logger, lines) = StreamedLog.make()
        let allowed = DescriptorLimit.connections(
            configured: 20_000,
            descriptors: 1_024,
            isDevelopment: isDevelopment,
            logger: logger
        )
        expectEqual(allowed, 960)
        let line = await lines.first { _ in true }
        expectEqual(line?.level, level)
        expectEqual(line?.metadata["advice"]?.hasPrefix("allow 20064 descriptors"), true)
    }

    @Test(
        arguments: [
            (19_936, 20_000, 1, 16), (19_936, 20_000, 2, 8), (19_936, 20_000, 32, 0),
            (1_000, 1_080, 1, 16), (1_000, 1_081, 1, 17), (1_000, 20_000, 2, 256),
            (20_000, Int.max, 2, 256), (1, 3, 2, 8),
        ]
    )
    func refusedConnectionsLeaveDescriptorsForTheRest(
        connections: Int,
        descriptors: Int,
        loops: Int,
        allowed: Int
    ) {
        let refused = DescriptorLimit.refusedPerLoop(
            connections: connections,
            descriptors: descriptors,
            loops: loops
        )
        expectEqual(refused, allowed)
    }
}

extension LoopFixture {
    func count(_ bound: Bound) async -> UInt64 {
        var count: UInt64 = 0
        for loop in loops { count += await loop.snapshot().bounds[bound] }
        return count
    }
}

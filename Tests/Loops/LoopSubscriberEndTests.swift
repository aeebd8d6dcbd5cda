import ClientWire
import Expectations
import LoopTesting

@testable import Loops

@Suite("Loop: how clients of the client protocol end", .timeLimit(.minutes(10)))
struct LoopSubscriberEndTests {
    // MARK: Ends

    @Test func binaryMessageEndsTheConnection() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            try await client.send(clientFrame(2, [1, 2, 3]))
            let close = try await client.receiveClose()
            expect(close == (3506, "inappropriate protocol"))
            // Nothing more is sent behind the Close frame.
            hub.publish("news:a", "1")
            try await client.send(clientFrame(8, [0x0D, 0xB2]))
            await expect(client.endsHere())
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    @Test func messageThatIsNoCommandEndsTheConnection() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.upgrade()
            try await client.sendText("hello")
            let close = try await client.receiveClose()
            expect(close == (3501, "bad request"))
        }
    }

    @Test func closeOfTheClientIsAnswered() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            try await client.send(clientFrame(8, [0x03, 0xE8]))
            let close = try await client.receiveClose()
            expectEqual(close.code, 1000)
            await expect(client.endsHere())
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    @Test(arguments: [true, false])
    func subscriptionsOfAClientThatLeavesAreForgotten(isReset: Bool) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            await expectEqual(hub.loops[0].subscriptionCount, 1)
            if isReset { await client.reset() } else { await client.close() }
            try await hub.wait { await hub.loops[0].subscriptionCount == 0 }
            hub.publish("news:a", "1")
            let next = try hub.connect()
            try await next.connectSession()
            let reply = try await next.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            expectEqual(reply, subscribed(2, offset: 1))
        }
    }

    @Test func slowSubscriberIsCutOffAndTheOthersGetEverything() async throws {
        let payload = #""\#(String(repeating: "x", count: 9990))""#
        try await withLoops({
            // Room for two commits; each is sent in several pieces within its turn.
            $0.connections.queueBytesMax = 200_000
            $0.connections.turnBytesMax = 30_000
        }) { hub in
            let slow = try hub.connect(receiveBufferSize: 4096)
            let reader = try hub.connect()
            for client in [slow, reader] {
                try await client.connectSession()
                _ = try await client.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            }
            // The kernel holds a few megabytes for the slow one at most.
            var count = 0
            while await hub.loops[0].subscriptionCount == 2, count < 5000 {
                hub.publish("news:a", Array(repeating: payload, count: 10))
                for _ in 0..<10 {
                    count += 1
                    let text = try await reader.receiveText()
                    try require(text == pushed("news:a", payload, count), "publication \(count)")
                }
            }
            await expectEqual(hub.loops[0].subscriptionCount, 1)
            // Its stream ends somewhere in the middle.
            await #expect(throws: LoopTestClient.Failure.self) {
                for _ in 1...count { _ = try await slow.receiveText() }
            }
        }
    }

    // MARK: Time

    @Test func clientThatDoesNotConnectInTimeIsStale() async throws {
        try await withLoops({
            $0.client = CentrifugeLimits(connectDeadline: .milliseconds(20))
        }) { hub in
            let client = try hub.connect()
            try await client.upgrade()
            let close = try await client.receiveClose()
            expect(close == (3502, "stale"))
        }
    }

    @Test func clientThatDoesNotAnswerAPingIsGone() async throws {
        try await withLoops({
            $0.client = CentrifugeLimits(pingInterval: .seconds(1), pongTimeout: .milliseconds(20))
        }) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            let ping = try await client.receiveTextOrPing()
            expectEqual(ping, "{}")
            let close = try await client.receiveClose()
            expect(close == (3012, "no pong"))
        }
    }

    @Test func clientThatAnswersPingsStays() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            for hour in 1...3 {
                await hub.loops[0].letTimePass(.seconds(3660 * hour))
                let ping = try await client.receiveTextOrPing()
                expectEqual(ping, "{}")
                try await client.sendText("{}")
                try await hub.settle()
            }
            await hub.loops[0].letTimePass(.seconds(3660 * 4))
            let ping = try await client.receiveTextOrPing()
            expectEqual(ping, "{}")
            // This one is not answered in time.
            await hub.loops[0].letTimePass(.seconds(3660 * 5))
            let close = try await client.receiveClose()
            expect(close == (3012, "no pong"))
        }
    }

    @Test func clientThatDoesNotAnswerOurCloseIsCut() async throws {
        try await withLoops({ $0.closeTimeout = .milliseconds(20) }) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            try await client.send(clientFrame(2, [1]))
            let close = try await client.receiveClose()
            expectEqual(close.code, 3506)
            await expect(client.endsHere())
        }
    }

    @Test func clientThatGoesOnSendingAfterOurCloseIsCutAllTheSame() async throws {
        try await withLoops({ $0.closeTimeout = .milliseconds(200) }) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            try await client.send(clientFrame(2, [1]))
            let close = try await client.receiveClose()
            expectEqual(close.code, 3506)
            let sender = Task.detached {
                while !Task.isCancelled {
                    do { try await client.sendText("{}") } catch { return }
                    try await hub.settle()
                }
            }
            await expect(client.isCutHere())
            sender.cancel()
        }
    }
}

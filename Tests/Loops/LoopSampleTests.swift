import ClientWire
import Expectations
import LoopTesting
import Reactor

@testable import Loops

@Suite("Loop: samples for the statistics", .timeLimit(.minutes(10)))
struct LoopSampleTests {
    @Test(.disabled(if: historiesAreStored, "about histories in memory"))
    func sampleHasTheCountsOfTheLoop() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.subscribe(2, "news:a")
            hub.publish("news:a", "1", "2")
            hub.publish("told:b", "3")
            _ = try await client.receiveText()
            // The end of a turn measures its publications.
            try await hub.settle()
            let sample = await hub.loops[0].perform { $0.takeSample() }
            expectEqual(sample.connections, 1)
            expectEqual(sample.subscriptions, 1)
            expectEqual(sample.topics, 2)
            expectEqual(sample.slow, 0)
            expectEqual(sample.publications, 3)
            expectEqual(sample.deliveries, 2)
            expect(sample.bytesReceived > 0)
            expect(sample.bytesSent > 0)
            expectEqual(sample.publishToWrite.count, 2)
        }
    }

    @Test func connectionOfARequestIsNotCounted() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try await client.receiveResponse()
            await expectEqual(hub.loops[0].perform { $0.takeSample() }.connections, 0)
        }
    }

    @Test func longestTurnIsThatSinceTheSampleBefore() throws {
        let hub = try SteppedLoop()
        hub.ask { loop in
            let end = loop.now + .milliseconds(7)
            loop.turn.end(at: end)
        }
        expectEqual(hub.ask { $0.takeSample() }.longestTurn, .milliseconds(7))
        expectNil(hub.ask { $0.takeSample() }.longestTurn)
    }

    @Test func turnsAreMeasured() async throws {
        try await withLoops { hub in
            try await hub.settle()
            await expect(hub.loops[0].perform { $0.takeSample() }.longestTurn != nil)
        }
    }

    @Test(arguments: [1, 3])
    func samplesOfAllLoopsAreTaken(loops: Int) async throws {
        try await withLoops(loops: loops) { hub in
            hub.publish("news:a", "1")
            let samples = try await require(hub.transport.takeSamples())
            expectEqual(samples.map(\.publications), [UInt64](repeating: 1, count: loops))
        }
    }

    @Test func taskThatWaitsForStoppedLoopsEndsWhenItIsCancelled() async throws {
        try await withLoops(loops: 2) { hub in
            await hub.transport.drain(timeout: .zero)
            let waiting = Task { await hub.transport.takeSamples() }
            waiting.cancel()
            await expectNil(waiting.value)
        }
    }
}

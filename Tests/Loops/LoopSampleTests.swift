import ClientWire
import LoopTesting
import Reactor
import Testing

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
            #expect(sample.connections == 1)
            #expect(sample.subscriptions == 1)
            #expect(sample.topics == 2)
            #expect(sample.slow == 0)
            #expect(sample.publications == 3)
            #expect(sample.deliveries == 2)
            #expect(sample.bytesReceived > 0)
            #expect(sample.bytesSent > 0)
            #expect(sample.publishToWrite.count == 2)
        }
    }

    @Test func connectionOfARequestIsNotCounted() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try await client.receiveResponse()
            #expect(await hub.loops[0].perform { $0.takeSample() }.connections == 0)
        }
    }

    @Test func longestTurnIsThatSinceTheSampleBefore() throws {
        let hub = try SteppedLoop()
        hub.ask { loop in
            let end = loop.now + .milliseconds(7)
            loop.times.endTurn(from: loop.now, to: end, in: &loop.counters)
        }
        #expect(hub.ask { $0.takeSample() }.longestTurn == .milliseconds(7))
        #expect(hub.ask { $0.takeSample() }.longestTurn == nil)
    }

    @Test func turnsAreMeasured() async throws {
        try await withLoops { hub in
            try await hub.settle()
            #expect(await hub.loops[0].perform { $0.takeSample() }.longestTurn != nil)
        }
    }

    @Test(arguments: [1, 3])
    func samplesOfAllLoopsAreTaken(loops: Int) async throws {
        try await withLoops(loops: loops) { hub in
            hub.publish("news:a", "1")
            let samples = try #require(await hub.transport.takeSamples())
            #expect(samples.map(\.publications) == [UInt64](repeating: 1, count: loops))
        }
    }

    @Test func taskThatWaitsForStoppedLoopsEndsWhenItIsCancelled() async throws {
        try await withLoops(loops: 2) { hub in
            await hub.transport.drain(timeout: .zero)
            let waiting = Task { await hub.transport.takeSamples() }
            waiting.cancel()
            #expect(await waiting.value == nil)
        }
    }
}

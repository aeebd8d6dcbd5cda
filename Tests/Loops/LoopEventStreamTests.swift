import Expectations
import LoopTesting
import Wire

@testable import Loops

@Suite("Loop: event streams", .timeLimit(.minutes(10)))
struct LoopEventStreamTests {
    @Test func streamBeginsWithItsPosition() async throws {
        try await withLoops { hub in
            hub.publish("news:a", "1")
            let client = try hub.connect()
            try await client.send(httpRequest("GET", "/events?topics=news:a"))
            let head = try await client.receiveHead()
            expectEqual(head.status, 200)
            expectEqual(head.fields["content-type"], "text/event-stream")
            expectEqual(head.fields["cache-control"], "no-store, no-transform")
            expectNil(head.fields["content-length"])
            let preamble = try await client.receive(through: "\n\n")
            let retry = preamble.prefix { $0 != "\n" }
            expectEqual(preamble, "\(retry)\nid: 101\n\n")
            // Half to one and a half of two seconds.
            let milliseconds = Int(retry.dropFirst("retry: ".count)) ?? 0
            expect((1000...3000).contains(milliseconds))
        }
    }

    @Test func streamCarriesItsTopicsInTheOrderOfCommits() async throws {
        try await withLoops { hub in
            let client = try await openStream(hub, "news:a,news:b")
            hub.publish("news:a", #"{"n":1}"#)
            hub.publish("news:c", "0")
            hub.publish("news:b", "2")
            hub.publish("news:a", "3")
            let events = try await client.receive(through: "data: 3\n\n")
            expectEqual(
                events,
                """
                id: 101
                event: news:a
                data: {"n":1}

                id: 103
                event: news:b
                data: 2

                id: 104
                event: news:a
                data: 3


                """
            )
        }
    }

    @Test(arguments: ["header", "query", "both"])
    func streamResumesBehindItsCursor(place: String) async throws {
        try await withLoops { hub in
            hub.publish("news:a", "1", "2", "3")
            let query = place == "header" ? "" : "&last_event_id=\(place == "both" ? 103 : 101)"
            let fields = place == "query" ? [] : ["Last-Event-ID: 101"]
            let client = try hub.connect()
            try await client.send(httpRequest("GET", "/events?topics=news:a" + query, fields))
            let head = try await client.receiveHead()
            expectEqual(head.status, 200)
            let preamble = try await client.receive(through: "\n\n")
            expect(!preamble.contains("id:"), "recovery moves the position")
            hub.publish("news:a", "4")
            let events = try await client.receive(through: "data: 4\n\n")
            expectEqual(
                events,
                (2...4).map { "id: 10\($0)\nevent: news:a\ndata: \($0)\n\n" }.joined()
            )
        }
    }

    @Test func streamSinceTheBeginningStartsWithTheOldestKeptPublication() async throws {
        try await withLoops { hub in
            hub.publish("news:a", "1", "2")
            let client = try hub.connect()
            let target = "/events?topics=news:a&since=beginning"
            try await client.send(httpRequest("GET", target))
            try await expectEqual(client.receiveHead().status, 200)
            let preamble = try await client.receive(through: "\n\n")
            expect(!preamble.contains("id:"), "the first publication moves the position")
            hub.publish("news:a", "3")
            let events = try await client.receive(through: "data: 3\n\n")
            expectEqual(
                events,
                (1...3).map { "id: 10\($0)\nevent: news:a\ndata: \($0)\n\n" }.joined()
            )
        }
    }

    @Test func streamSinceTheBeginningOfAnEmptyTopicStartsWithItsPosition() async throws {
        try await withLoops { hub in
            hub.publish("news:b", "1")
            let client = try hub.connect()
            let target = "/events?topics=news:a&since=beginning"
            try await client.send(httpRequest("GET", target))
            try await expectEqual(client.receiveHead().status, 200)
            let preamble = try await client.receive(through: "\n\n")
            expect(preamble.hasSuffix("\nid: 101\n\n"), "\(preamble)")
        }
    }

    @Test func streamIsToldOfAGap() async throws {
        try await withLoops { hub in
            hub.publish("brief:a", "1", "2", "3", "4")
            let client = try hub.connect()
            try await client.send(
                httpRequest("GET", "/events?topics=brief:a", ["Last-Event-ID: 101"])
            )
            _ = try await client.receiveHead()
            _ = try await client.receive(through: "\n\n")
            let gap = try await client.receive(through: "\n\n")
            expect(gap.hasPrefix("id: 102\nevent: gap\ndata: {\"reason\":\"evicted\""))
            let rest = try await client.receive(through: "data: 4\n\n")
            expectEqual(
                rest,
                (3...4).map { "id: 10\($0)\nevent: brief:a\ndata: \($0)\n\n" }.joined()
            )
        }
    }

    @Test(arguments: [
        ("topics=nowhere:a", 404), ("topics=news:a,nowhere:a", 404), ("topics=closed:a", 403),
        ("", 400), ("topics=", 400), ("topics=news:a,", 400),
        ("topics=news:a&last_event_id=x", 400), ("topics=news:a&last_event_id=-1", 400),
        ("topics=news:a&last_event_id=18446744073709551616", 400),
    ])
    func wrongRequestIsRefused(query: String, status: Int) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(httpRequest("GET", "/events?\(query)"))
            let response = try await client.receiveResponse()
            expectEqual(response.status, status)
            expect(!response.body.isEmpty)
            await expect(client.endsHere())
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    @Test func wrongCursorInTheHeaderIsRefused() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let response = try await client.get("/events?topics=news:a", "Last-Event-ID: abc")
            expectEqual(response.status, 400)
        }
    }

    @Test(arguments: [(100, 200), (101, 400)])
    func streamTakesTopicsUpToTheLimit(count: Int, status: Int) async throws {
        try await withLoops { hub in
            let topics = (1...count).map { "news:\($0)" }.joined(separator: ",")
            let client = try hub.connect()
            try await client.send(httpRequest("GET", "/events?topics=\(topics)"))
            let head = try await client.receiveHead()
            expectEqual(head.status, status)
        }
    }

    @Test func whatTheReaderSendsIsIgnored() async throws {
        try await withLoops { hub in
            let client = try await openStream(hub, "news:a")
            try await client.send(httpRequest("GET", "/a") + "nonsense\r\n\r\n")
            try await hub.settle()
            hub.publish("news:a", "1")
            let event = try await client.receive(through: "\n\n")
            expectEqual(event, "id: 101\nevent: news:a\ndata: 1\n\n")
        }
    }

    @Test func silentStreamHasAHeartbeat() async throws {
        try await withLoops({ $0.heartbeat = .milliseconds(10) }) { hub in
            let client = try await openStream(hub, "news:a")
            let heartbeat = try await client.receive(through: ": hb\n\n: hb\n\n")
            expectEqual(heartbeat, ": hb\n\n: hb\n\n")
        }
    }

    @Test(arguments: [true, false])
    func readerThatLeavesIsForgotten(isReset: Bool) async throws {
        try await withLoops { hub in
            let client = try await openStream(hub, "news:a,news:b")
            await expectEqual(hub.loops[0].subscriptionCount, 2)
            if isReset { await client.reset() } else { await client.close() }
            try await hub.wait { await hub.loops[0].subscriptionCount == 0 }
        }
    }

    @Test func streamAndSessionGetTheSamePublication() async throws {
        try await withLoops { hub in
            let reader = try await openStream(hub, "news:a")
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.command(#"{"id":2,"subscribe":{"channel":"news:a"}}"#)
            hub.publish("news:a", "1")
            try await expectEqual(
                reader.receive(through: "\n\n"),
                "id: 101\nevent: news:a\ndata: 1\n\n"
            )
            try await expectEqual(
                client.receiveText(),
                #"{"push":{"channel":"news:a","pub":{"data":1,"offset":1}}}"#
            )
        }
    }

    private func openStream(_ hub: LoopFixture, _ topics: String) async throws -> LoopTestClient {
        let client = try hub.connect()
        try await client.send(httpRequest("GET", "/events?topics=\(topics)"))
        let head = try await client.receiveHead()
        expectEqual(head.status, 200)
        _ = try await client.receive(through: "\n\n")
        return client
    }
}

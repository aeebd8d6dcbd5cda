import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting
import Reactor
import Service
import TokenTesting
import Wire

@testable import Loops

/// An `EventSource` takes every status but 200 as final, so what is refused only for now is answered with
/// the end of a stream, and a time.
@Suite("Loop: event streams that are refused for now", .timeLimit(.minutes(10)))
struct LoopReturningReadersTests {
    private static let accept = "Accept: text/event-stream"
    private static let events = "/events?topics=news:a"

    /// The answer to a request, up to the end of the connection.
    private func answer(
        _ hub: LoopFixture,
        _ target: String,
        _ fields: [String] = [accept]
    ) async throws -> String {
        let client = try hub.connect()
        try await client.send(httpRequest("GET", target, fields))
        return try await client.receiveAll()
    }

    /// - Parameter milliseconds: those that the reader may be asked to wait.
    private func expectEnd(_ answer: String, waits milliseconds: ClosedRange<Int>) {
        expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        expect(answer.contains("\r\nContent-Type: text/event-stream\r\n"))
        expect(answer.contains("\r\nCache-Control: no-store, no-transform\r\n"))
        let body = answer.split(separator: "\r\n\r\n").last ?? ""
        expect(body.hasPrefix("retry: ") && body.hasSuffix("\n\n"), "\(body)")
        let retry = Int(body.dropFirst("retry: ".count).prefix { $0.isNumber })
        expectEqual(retry.map { milliseconds.contains($0) }, true, "\(body)")
    }

    private func full(_ change: @escaping (inout LoopSettings) -> Void = { _ in })
        -> (inout LoopSettings) -> Void
    {
        {
            $0.connections.connectionsMax = 1
            $0.connections.refusal = Refusal(
                ServerResponse.overloaded,
                unless: "text/event-stream"
            )
            change(&$0)
        }
    }

    @Test(arguments: [events, "/connection/sse?cf_connect=%7B%7D"])
    func readerThatFindsNoPlaceIsSentBack(target: String) async throws {
        try await withLoops(full()) { hub in
            let first = try hub.connect()
            try await first.upgrade()
            for accept in [Self.accept, "accept: text/html, Text/Event-Stream;q=0.9"] {
                expectEnd(try await answer(hub, target, [accept]), waits: 2500...7500)
            }
            let plain = try await answer(hub, target, ["Accept: */*"])
            expect(plain.hasPrefix("HTTP/1.1 503 "))
            expect(plain.contains("\r\nRetry-After: 5\r\n"))
            await expectEqual(hub.count(.connections), 3)
            await expectEqual(hub.loops[0].snapshot().open.http, 0, "it is not open")
        }
    }

    @Test func headThatComesInPiecesIsReadToItsEnd() async throws {
        try await withLoops(full { $0.connections.lingerTimeout = .seconds(3600) }) { hub in
            let first = try hub.connect()
            try await first.upgrade()
            let client = try hub.connect()
            let request = httpRequest("GET", Self.events, [Self.accept])
            for piece in [request.prefix(9), request.dropFirst(9).prefix(60)] {
                try await client.send(String(piece))
                try await hub.settle()
            }
            try await client.send(String(request.dropFirst(69)))
            expectEnd(try await client.receiveAll(), waits: 2500...7500)
        }
    }

    /// No place is held for long by a peer that sends nothing.
    @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: h\r\n"])
    func peerWithoutAWholeHeadIsRefusedInTime(sent: String) async throws {
        try await withLoops(full { $0.connections.lingerTimeout = .milliseconds(200) }) { hub in
            let first = try hub.connect()
            try await first.upgrade()
            let client = try hub.connect(sending: sent)
            try await expect(client.receiveAll().hasPrefix("HTTP/1.1 503 "))
        }
    }

    @Test func pageOfAnotherOriginMayReadTheEnd() async throws {
        let origin = "https://app.example.org"
        let allowed = OriginPolicy(allowed: [try require(OriginPattern(origin))])
        try await withLoops(full { $0.origins = allowed }) { hub in
            let first = try hub.connect()
            try await first.upgrade()
            let end = try await answer(hub, Self.events, [Self.accept, "Origin: \(origin)"])
            expectEnd(end, waits: 2500...7500)
            expect(end.contains("\r\nAccess-Control-Allow-Origin: \(origin)\r\n"))
        }
    }

    @Test func handshakesOverTheirRateAreSentBack() async throws {
        var rates = ClientRates()
        rates.handshakes = RateLimit(perSecond: 0.0001, burst: 1)
        let shared = HubShared(clients: ClientCensus(rates: rates))
        try await withLoops(shared: shared) { hub in
            let first = try hub.connect()
            try await first.upgrade()
            for target in [Self.events, "/connection/sse?cf_connect=%7B%7D"] {
                expectEnd(try await answer(hub, target), waits: 1000...7500)
            }
            try await expect(answer(hub, Self.events, []).hasPrefix("HTTP/1.1 503 "))
        }
    }

    @Test func userWithTooManyConnectionsIsSentBack() async throws {
        let tokens = try await TestTokens()
        let shared = HubShared(clients: ClientCensus(connectionsPerUserMax: 1))
        try await withLoops(verifier: tokens.verifier, shared: shared) { hub in
            let client = try hub.connect()
            _ = try await client.connectSession(token: try tokens.connection("7"))
            let target = "\(Self.events)&token=\(try tokens.connection("7"))"
            expectEnd(try await answer(hub, target), waits: 1000...7500)
        }
    }

    @Test func topicThatFindsNoPlaceSendsBack() async throws {
        try await withLoops(hubLimits: HubLimits(unpublishedTopicsMax: 1)) { hub in
            expectEnd(try await answer(hub, "\(Self.events),news:b"), waits: 1000...3000)
        }
    }

    @Test func tokenWhoseKeyMayJustHaveBeenPublishedSendsBack() async throws {
        let tokens = try await TestTokens(published: [])
        let token = TestTokens.unsigned(
            header: #"{"alg":"RS256","kid":"fresh"}"#,
            claims: #"{"sub":"42"}"#
        )
        try await withLoops(verifier: tokens.verifier) { hub in
            let target = "\(Self.events)&token=\(token)"
            expectEnd(try await answer(hub, target), waits: 2500...7500)
            let plain = try await answer(hub, target, [])
            expect(plain.hasPrefix("HTTP/1.1 503 "))
            expect(plain.contains("\r\nRetry-After: 5\r\n"))
        }
    }

    /// These do not pass: a reader that came back for them would come back for ever.
    @Test func whatIsRefusedForGoodKeepsItsStatus() async throws {
        let tokens = try await TestTokens()
        let closed = [
            Configuration.Namespace("news"),
            Configuration.Namespace("closed") { $0.anonymousSubscribe = false },
        ]
        try await withLoops(namespaces: closed, verifier: tokens.verifier) { hub in
            for (target, status) in [
                ("/events", 400), ("\(Self.events)&token=none", 401),
                ("\(Self.events)&token=\(try tokens.expiredConnection("42"))", 401),
                ("/events?topics=closed:a", 403), ("/events?topics=none:a", 404),
            ] {
                let answer = try await answer(hub, target)
                expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(target): \(answer)")
            }
        }
    }
}

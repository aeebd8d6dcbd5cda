import Expectations
import HubTesting
import LoopTesting
import Loops
import Service
import Upstream

@testable import NewsApp

/// Over real HTTP: the server at 127.0.0.1 stands for the public network by an explicit allowance,
/// the one at 127.0.0.2 with the same port for the inside.
@Suite("Page reader: over loopback", .timeLimit(.minutes(10)))
struct PageReaderLoopbackTests {
    private static let html = "<title>A</title><p>A sentence of the article, long enough.</p>"

    private func withReader(
        _ answer: @escaping @Sendable (ServerRequest) -> ScriptedServer.Answer,
        names: [String: [[String]]] = ["page.test": [["127.0.0.1"]]],
        _ body: (PageReader, _ port: Int, ScriptedServer) async throws -> Void
    ) async throws {
        let trapped = Locked(0)
        try await ScriptedServer.run(answer: answer) { outside in
            let port = try require(Int(outside.url.split(separator: ":").last ?? ""))
            let inside = try await RequestServer.start(
                listen: "127.0.0.2:\(port)",
                logger: silentLogger
            ) { _ in
                trapped.withLock { $0 += 1 }
                return ServerResponse(status: 200, text: "inside")
            }
            let client = UpstreamClient()
            let reader = PageReader(
                userAgent: "varde/test",
                allowed: [try require(AddressBlock("127.0.0.1/32"))],
                limits: .patient,
                resolver: RecordingResolver(names),
                transport: client
            )
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(reader, port, outside)) } catch {
                outcome = .failure(error)
            }
            client.shutDown()
            await inside.stop()
            try outcome.get()
        }
        expectEqual(trapped.withLock { $0 }, 0, "nothing came inside")
    }

    private static func page(_ body: String = html) -> ScriptedServer.Answer {
        .status(200, ["Content-Type": "text/html"], body: Array(body.utf8))
    }

    @Test func pageIsReadBehindARedirect() async throws {
        try await withReader({ request in
            request.head.target == "/old"
                ? .status(301, ["Location": "/new?a=b", "Set-Cookie": "c=d"]) : Self.page()
        }) { reader, port, server in
            let (page, url) = try await reader.read("http://page.test:\(port)/old")
            expectEqual(page.title, "A")
            expectEqual(url, "http://page.test:\(port)/new?a=b")
            let requests = await server.requests.next(2)
            for request in requests {
                expectEqual(request.head.headers.first("Host"), "page.test:\(port)")
                expectEqual(request.head.headers.first("User-Agent"), "varde/test")
                expectNil(request.head.headers.first("Cookie"))
                expectNil(request.head.headers.first("Authorization"))
            }
        }
    }

    @Test func redirectInsideReachesNothing() async throws {
        let places = ["http://127.0.0.2", "http://inside.test", "http://moving.test"]
        for place in places {
            try await withReader(
                { request in
                    let port = request.head.headers.first("Host")?.split(separator: ":").last
                    return .status(302, ["Location": "\(place):\(port ?? "80")/"])
                },
                names: [
                    "page.test": [["127.0.0.1"]], "inside.test": [["127.0.0.2"]],
                    "moving.test": [["127.0.0.1", "127.0.0.2"]],
                ]
            ) { reader, port, _ in
                await expectEqual(readError(reader, "http://page.test:\(port)/"), .notReachable)
            }
        }
    }

    @Test func connectionGoesToTheCheckedAddressAlthoughTheNameMoves() async throws {
        let names = ["moving.test": [["127.0.0.1"], ["127.0.0.2"]]]
        try await withReader({ _ in Self.page() }, names: names) { reader, port, _ in
            _ = try await reader.read("http://moving.test:\(port)/")
            await expectEqual(readError(reader, "http://moving.test:\(port)/"), .notReachable)
        }
    }

    @Test func pageOverTheLimitIsRefused() async throws {
        try await withReader({ request in
            let length = request.head.target == "/limit" ? 1 << 20 : 1 << 20 + 1
            let padding = String(repeating: " ", count: length - Self.html.utf8.count)
            return Self.page(Self.html + padding)
        }) { reader, port, _ in
            _ = try await reader.read("http://page.test:\(port)/limit")
            let error = await readError(reader, "http://page.test:\(port)/over")
            expectEqual(error, .tooLong(limit: 1 << 20))
        }
    }

    @Test func closedPortIsNotReachable() async throws {
        try await withReader({ _ in Self.page() }) { reader, port, server in
            await server.service.stop()
            await expectEqual(readError(reader, "http://page.test:\(port)/"), .notReachable)
        }
    }
}

import HubTesting
import Loops
import Service
import Wire

/// An HTTP server on loopback that answers from a script and shows what it was asked.
///
/// The last answer of the script repeats.
package struct ScriptedServer {
    package enum Answer: Sendable {
        case response(ServerResponse)
        /// None, for as long as the server runs.
        case never
        /// When the gate is open.
        case held(Gate, ServerResponse)
    }

    /// Holds answers back until the test opens it.
    package struct Gate: Sendable {
        private let closed: AsyncStream<Never>
        private let opening: AsyncStream<Never>.Continuation

        package init() { (closed, opening) = AsyncStream<Never>.makeStream() }

        package func open() { opening.finish() }

        package func wait() async { for await _ in closed {} }
    }

    package let service: RequestServer
    /// Every request, in the order in which they arrived.
    package let requests: AsyncStream<ServerRequest>

    private init(service: RequestServer, requests: AsyncStream<ServerRequest>) {
        self.service = service
        self.requests = requests
    }

    package var url: String { "http://\(service.address)" }

    /// Runs `body` with a server that answers as `answer` says, and stops it afterwards.
    package static func run<Result>(
        answer: @escaping @Sendable (ServerRequest) -> Answer,
        _ body: (ScriptedServer) async throws -> Result
    ) async throws -> Result {
        let (requests, seen) = AsyncStream<ServerRequest>.makeStream()
        let (end, ending) = AsyncStream<Never>.makeStream()
        let service = try await RequestServer.start(listen: "127.0.0.1:0", logger: silentLogger) {
            seen.yield($0)
            switch answer($0) {
            case .response(let response): return response
            case .never:
                for await _ in end {}
                return ServerResponse(status: 503, text: "the test is over")
            case .held(let gate, let response):
                await gate.wait()
                return response
            }
        }
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(
                try await body(ScriptedServer(service: service, requests: requests))
            )
        } catch {
            outcome = .failure(error)
        }
        ending.finish()
        await service.stop()
        return try outcome.get()
    }

    package static func run<Result>(
        script: [Answer],
        _ body: (ScriptedServer) async throws -> Result
    ) async throws -> Result {
        precondition(!script.isEmpty)
        let rest = Locked(script[...])
        return try await run(
            answer: { _ in
                rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[$0.startIndex] }
            },
            body
        )
    }
}

extension ScriptedServer.Answer {
    package static func status(
        _ status: Int,
        _ headers: HTTPHeaders = [:],
        body: [UInt8] = []
    ) -> ScriptedServer.Answer {
        .response(
            ServerResponse(head: HTTPResponseHead(status: status, headers: headers), body: body)
        )
    }

    package static func json(_ text: String, _ headers: HTTPHeaders = [:]) -> ScriptedServer.Answer
    {
        var headers = headers
        headers.append("Content-Type", "application/json")
        return .status(200, headers, body: Array(text.utf8))
    }
}

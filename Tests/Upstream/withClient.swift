import Expectations
import Reactor
import TLSTesting

@testable import Upstream

/// A client on a loop of its own, for as long as `body` runs.
func withClient<Value>(
    resolver: any NameResolver = StubResolver(),
    _ change: (inout UpstreamClient.Settings) -> Void = { _ in },
    _ body: (UpstreamClient) async throws -> Value
) async throws -> Value {
    try await withLoop(resolver: resolver, change) { _, client in try await body(client) }
}

func withLoop<Value>(
    resolver: any NameResolver = StubResolver(),
    connectionsMax: Int = 1024,
    _ change: (inout UpstreamClient.Settings) -> Void = { _ in },
    _ body: (UpstreamLoop, UpstreamClient) async throws -> Value
) async throws -> Value {
    var settings = UpstreamClient.Settings()
    change(&settings)
    let loop = try UpstreamLoop(resolver: resolver, connectionsMax: connectionsMax)
    defer { loop.shutDown() }
    return try await body(loop, UpstreamClient(settings, on: loop))
}

extension UpstreamLoop {
    var lineCount: Int { lines.count }
    var openCount: Int { pools.values.reduce(0) { $0 + $1.openCount } }
    var waitingCount: Int { pools.values.reduce(0) { $0 + $1.waitingCount } }

    /// Asks again and again, between the turns of the loop.
    nonisolated func wait(
        until condition: @escaping @Sendable (isolated UpstreamLoop) -> Bool
    ) async {
        while await !check(condition) { await Task.yield() }
    }

    private func check(_ condition: @Sendable (isolated UpstreamLoop) -> Bool) -> Bool {
        condition(self)
    }
}

/// Answers with addresses that the test gives, and counts how often it is asked.
final class StubResolver: NameResolver {
    /// The addresses of a name when it is asked for the n-th time, from 1; nil never answers.
    typealias Answer = @Sendable (String, Int) -> [SocketAddress]?

    let asked = Counter()
    private let answer: Answer

    init(_ answer: @escaping Answer = { _, _ in nil }) {
        self.answer = answer
    }

    /// Always the same addresses, whatever the name.
    init(_ hosts: String...) {
        answer = { _, _ in hosts.compactMap { SocketAddress(numericHost: $0, port: 0) } }
    }

    func resolve(
        _ name: String,
        _ done: @escaping @Sendable (Result<[SocketAddress], NameResolutionError>) -> Void
    ) {
        if let found = answer(name, asked.increment()) { done(.success(found)) }
    }
}

extension UpstreamRequest {
    static func get(_ server: HostileServer, _ target: String = "/") throws -> UpstreamRequest {
        UpstreamRequest("GET", try UpstreamURL("http://127.0.0.1:\(server.port)\(target)"))
    }

    static func post(
        _ server: HostileServer,
        _ target: String = "/",
        body: [UInt8]
    ) throws -> UpstreamRequest {
        var request = try get(server, target)
        request.method = "POST"
        request.body = body
        return request
    }
}

extension UpstreamClient {
    /// The answer, or why there is none.
    func outcome(_ request: UpstreamRequest) async -> Result<UpstreamResponse, UpstreamError> {
        do throws(UpstreamError) {
            return .success(try await send(request))
        } catch {
            return .failure(error)
        }
    }

    /// Why there is no answer; nil and a failure of the test when there is one.
    func failure(
        _ request: UpstreamRequest,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> UpstreamError? {
        switch await outcome(request) {
        case .failure(let error): return error
        case .success(let response):
            Issue.record("answered \(response)", sourceLocation: sourceLocation)
            return nil
        }
    }
}

extension UpstreamResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// A whole answer.
func answer(_ content: String, status: String = "200 OK", fields: String = "") -> String {
    "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
}

/// Answers every request with its target and its content, for as long as the client keeps the connection.
func echo(_ connection: ServerConnection) {
    while let request = connection.readRequest() {
        let content = String(decoding: request.content, as: UTF8.self)
        connection.write(answer(request.target + content))
    }
}

import HTTPWire
import Locking
import Logging
import PubSub
import Reactor
import Timekeeping

@testable import HubServer

/// A server over loopback with topics in memory, and the numbers that its store would give out.
///
/// Namespaces: `news` keeps 1000 publications, `brief` two, `closed` lets nobody in.
struct ShardFixture: Sendable {
    static let epoch = "e1"
    static let cursorBase: UInt64 = 100

    let transport: Transport
    private let counters = Locked(Counters())

    private struct Counters {
        var offsets: [String: UInt64] = [:]
        var cursor = ShardFixture.cursorBase
    }

    var shards: [Shard] { transport.shards }

    func connect(
        receiveBufferSize: Int32? = nil,
        sending first: String = ""
    ) throws -> ShardTestClient {
        let port = transport.addresses[0].port
        return try ShardTestClient(port: port, receiveBufferSize: receiveBufferSize, sending: first)
    }

    /// Publishes `payloads` in one commit; offsets count from 1 and cursors from 101.
    func publish(_ topic: String, _ payloads: String...) {
        publish(topic, payloads)
    }

    func publish(_ topic: String, _ payloads: [String]) {
        // The lock orders the commits of several tasks, as the store's one thread does.
        counters.withLock { counters in
            let publications = payloads.map { payload in
                counters.offsets[topic, default: 0] += 1
                counters.cursor += 1
                return Publication(
                    topic: Topic(trusted: topic),
                    offset: counters.offsets[topic]!,
                    cursor: counters.cursor,
                    time: Timestamp(milliseconds: 0),
                    payload: Array(payload.utf8)
                )
            }
            transport.publish(publications)
        }
    }

    /// Returns when every loop has handled what reached it before.
    func settle() async throws {
        let client = try connect()
        try await client.send("GET /settle HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try await client.receiveResponse()
        await client.close()
    }
}

/// A server for as long as `body` runs. Without `respond`, it answers with method, path and body.
func withShards(
    loops: Int = 1,
    _ change: (inout ShardSettings) -> Void = { _ in },
    respond: @escaping Responder = answerWithRequest,
    _ body: (ShardFixture) async throws -> Void
) async throws {
    var settings = ShardSettings()
    settings.offersEcho = true
    change(&settings)
    let transport = try await Transport.start(
        loops: loops,
        addresses: [SocketAddress("127.0.0.1:0")!],
        tls: nil,
        settings: settings,
        access: TopicAccess { topic in
            switch topic.namespace {
            case "news", "brief": .allowed
            case "closed": .denied
            default: .unknown
            }
        },
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        makeHub: {
            Hub(
                epoch: ShardFixture.epoch,
                cursorBase: ShardFixture.cursorBase,
                namespaces: NamespaceTable([
                    "news": HistoryLimit(count: 1000, age: nil),
                    "brief": HistoryLimit(count: 2, age: nil),
                ])
            )
        },
        respond: respond
    )
    do {
        try await body(ShardFixture(transport: transport))
    } catch {
        await transport.drain(timeout: .zero)
        throw error
    }
    await transport.drain(timeout: .zero)
}

@Sendable func answerWithRequest(_ request: ServerRequest) async -> ServerResponse {
    let body = String(decoding: request.body, as: UTF8.self)
    return ServerResponse(
        head: HTTPResponseHead(status: 200),
        body: Array("\(request.head.method) \(request.head.path) \(body)".utf8)
    )
}

/// One event that tasks wait for.
final class ShardSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}

extension Shard {
    var subscriptionCount: Int { hub.subscriptionCount }

    /// Lets the deadlines of all clients come, as if it were `duration` later than it is.
    func letTimePass(_ duration: Duration) {
        now = .now + duration
        for id in connections.openConnections() {
            if case .client(let session) = session(of: id) { handleDeadline(session, on: id) }
        }
        loop.wake()
    }

    /// Runs `body`, which may block, on the loop's thread between two turns.
    func hold(_ body: @Sendable () -> Void) { body() }
}

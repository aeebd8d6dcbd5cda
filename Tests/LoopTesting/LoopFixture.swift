import ClientWire
import Configuration
import ConfigurationTesting
import Glibc
import HubTesting
import Loops
import Reactor
import Service
import Wire

/// A server over loopback with topics in memory, and the numbers that its store would give out.
///
/// Namespaces: `news` keeps 1000 publications and anyone may publish; `brief` keeps two, and subscribers
/// publish; `told` takes nothing from clients; `closed` lets nobody in.
package struct LoopFixture: Sendable {
    package static let epoch = "e1"
    package static let cursorBase: UInt64 = 100

    package static let namespaces: [Configuration.Namespace] = {
        func namespace(
            _ name: String,
            _ publish: Configuration.Publishers,
            history: Int,
            isOpen: Bool = true
        ) -> Configuration.Namespace {
            var namespace = Configuration.Namespace()
            namespace.name = name
            namespace.publish = publish
            namespace.historySize = history
            namespace.anonymousSubscribe = isOpen
            return namespace
        }
        return [
            namespace("news", .anyone, history: 1000),
            namespace("brief", .subscribers, history: 2),
            namespace("told", .nobody, history: 2),
            namespace("closed", .nobody, history: 2, isOpen: false),
        ]
    }()

    package let transport: Transport
    private let counters: Locked<Counters>
    private let histories: FixtureHistories?

    package struct Counters {
        package var offsets: [String: UInt64] = [:]
        package var cursor = LoopFixture.cursorBase
    }

    package init(transport: Transport, counters: Locked<Counters> = Locked(Counters())) {
        self.init(transport: transport, counters: counters, histories: nil)
    }

    init(
        transport: Transport,
        counters: Locked<Counters> = Locked(Counters()),
        histories: FixtureHistories?
    ) {
        self.transport = transport
        self.counters = counters
        self.histories = histories
    }

    package var loops: [Loop] { transport.loops }

    package func connect(
        receiveBufferSize: Int32? = nil,
        sending first: String = ""
    ) throws -> LoopTestClient {
        let port = transport.addresses[0].port
        return try LoopTestClient(port: port, receiveBufferSize: receiveBufferSize, sending: first)
    }

    /// Publishes `payloads` in one commit; offsets count from 1 and cursors from 101.
    package func publish(_ topic: String, _ payloads: String...) {
        publish(topic, payloads)
    }

    package func publish(_ topic: String, _ payloads: [String]) {
        publish(payloads.map { (Topic(trusted: topic), Array($0.utf8)) })
    }

    package func publish(_ pieces: [(topic: Topic, data: [UInt8])]) {
        publish(
            pieces.map {
                ClientPublication(topic: $0.topic, data: $0.data)
            }
        )
    }

    /// - Parameter isKept: whether they are part of the history.
    package func publish(
        _ pieces: [ClientPublication],
        tags: [String: String] = [:],
        isKept: Bool = true
    ) {
        // The lock orders the commits of several tasks, as the store's one thread does.
        counters.withLock { counters in
            let publications = pieces.map { piece in
                let isKept = isKept && piece.keepsHistory
                if isKept { counters.offsets[piece.topic.name, default: 0] += 1 }
                counters.cursor += 1
                return Publication(
                    topic: piece.topic,
                    offset: isKept ? counters.offsets[piece.topic.name]! : 0,
                    cursor: counters.cursor,
                    time: Timestamp(milliseconds: 0),
                    payload: piece.data,
                    tags: tags,
                    info: piece.info,
                    allowsDelta: piece.allowsDelta
                )
            }
            histories?.publish(publications)
            transport.publish(publications)
        }
    }

    /// Forgets a topic, as the store does when nothing of it is left: its offsets begin at 1 again.
    package func forget(_ topic: String) {
        counters.withLock { counters in
            counters.offsets[topic] = nil
            let forgotten = ForgottenTopic(
                Topic(trusted: topic),
                throughCursor: counters.cursor
            )
            histories?.forget(forgotten)
            transport.forget([forgotten])
        }
    }

    package func erase(_ erasure: Erasure) {
        histories?.erase(erasure)
        transport.erase([erasure])
    }

    package func removeHistory(of topic: Topic, through offset: UInt64) {
        histories?.removeHistory(of: topic, through: offset)
        transport.removeHistory(of: topic, through: offset)
    }

    /// Returns when every loop has handled what reached it before.
    package func settle() async throws {
        let client = try connect()
        try await client.send("GET /settle HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try await client.receiveResponse()
        await client.close()
    }

    /// Returns when a condition holds that the loops bring about. Connections are independent: a loop can
    /// receive the end of one after a request that was sent later on another.
    package func wait(until condition: () async -> Bool) async throws {
        while !(await condition()) { try await settle() }
    }
}

/// Commits for the loops of a fixture: fails while `failure` is set, and publishes otherwise.
package final class FixtureStore: Sendable {
    package let failure = Locked<(any Error & Sendable)?>(nil)
    /// By the index in each commit.
    package let refused = Locked<[Int: TopicRefusal]>([:])
    package let parts = Locked(0)
    fileprivate let hub = Locked<LoopFixture?>(nil)

    package init() {}

    package func commit(_ pieces: [ClientPublication], _ done: PublishCompletion) {
        parts.withLock { $0 += 1 }
        if let failure = failure.withLock({ $0 }) { return done(.failure(failure)) }
        let refused = refused.withLock { $0 }
        let taken = pieces.indices.filter { refused[$0] == nil }.map { pieces[$0] }
        hub.withLock { $0 }?.publish(taken)
        done(.success(refused))
    }
}

/// A server for as long as `body` runs. Without `respond`, it answers with method, path and body.
package func withLoops(
    loops: Int = 1,
    _ change: (inout LoopSettings) -> Void = { _ in },
    namespaces: [Configuration.Namespace] = LoopFixture.namespaces,
    topicRules: [String: any TopicRules] = [:],
    sockets: [TopicSocket] = [],
    reserved: NamespaceTable = NamespaceTable([:]),
    topicsForKeys: Set<Topic> = [],
    verifier: TokenVerifier = TokenVerifier(keys: TokenKeySet(configured: [])),
    apiKeys: APIKeys = APIKeys([]),
    shared: HubShared = HubShared(),
    hubLimits: HubLimits = HubLimits(),
    store: FixtureStore = FixtureStore(),
    barrier: PositionBarrier? = nil,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    respond: @escaping Responder = answerWithRequest,
    _ body: (LoopFixture) async throws -> Void
) async throws {
    var settings = LoopSettings.fixture
    change(&settings)
    let stored = historiesAreStored ? FixtureHistories() : nil
    let all = NamespaceTable(namespaces).merging(reserved)
    let histories = HistoryTable.fixture(all, hubLimits, isBacked: stored != nil)
    let made = try Transport.make(
        loops: loops,
        settings: settings,
        rules: NamespaceRules(
            namespaces,
            domains: topicRules,
            reserved: reserved.names,
            topicsForKeys: topicsForKeys
        ),
        sockets: sockets,
        verifier: verifier,
        apiKeys: apiKeys,
        shared: shared,
        logger: logger,
        histories: histories,
        publisher: { store.commit($0, $1) },
        barrier: barrier
    )
    stored?.connect(histories, made)
    let transport = try await made.start(on: .loopback, tls: nil, respond: respond)
    let fixture = LoopFixture(transport: transport, histories: stored)
    store.hub.withLock { $0 = fixture }
    defer {
        store.hub.withLock { $0 = nil }
        // It has the loops, which have the histories.
        histories.setWhenRequested {}
    }
    do {
        try await body(fixture)
    } catch {
        await transport.drain(timeout: .zero)
        throw error
    }
    await transport.drain(timeout: .zero)
}

extension [ListenerSettings] {
    /// A free port of this machine.
    package static var loopback: Self {
        [ListenerSettings(.address(SocketAddress("127.0.0.1:0")!))]
    }
}

extension LoopSettings {
    /// Clients of tests answer pings only in tests of pings. So no ping is sent before an hour has passed: the first
    /// one, which a hub sends at a random moment of the interval, comes at its end.
    package static var fixture: LoopSettings {
        var settings = LoopSettings()
        // `make test` sends with io_uring where the kernel offers it, and `make test-one-thread` without.
        settings.connections.ringSendsMin = getenv("WITHOUT_RING") == nil ? 1 : .max
        settings.offersEcho = true
        settings.client = CentrifugeLimits(
            pingInterval: .seconds(3600),
            pongTimeout: .seconds(3599)
        )
        settings.pingInterval = .seconds(3600)
        settings.heartbeat = .seconds(3600)
        // One byte is a share, such as that of the interval; more are an id.
        let bytes = settings.random
        settings.random = { count in count == 1 ? [255] : bytes(count) }
        return settings
    }
}

extension HistoryTable {
    fileprivate static func fixture(
        _ namespaces: NamespaceTable,
        _ limits: HubLimits,
        isBacked: Bool
    ) -> HistoryTable {
        HistoryTable(
            epoch: LoopFixture.epoch,
            cursorBase: LoopFixture.cursorBase,
            isBacked: isBacked,
            namespaces: namespaces,
            limits: isBacked ? limits.keepingNothing : limits
        )
    }
}

extension HubLimits {
    /// With the least memory for histories that are also in the store.
    fileprivate var keepingNothing: HubLimits {
        HubLimits(
            unpublishedTopicsMax: unpublishedTopicsMax,
            recoveryBytesMax: recoveryBytesMax,
            historyBytesMax: historyBytesMax,
            clientHistoryBytesMax: clientHistoryBytesMax,
            storedHistoryBytesMax: 1,
            publicationOverhead: publicationOverhead
        )
    }
}

extension NamespaceTable {
    /// Their histories, kept in memory.
    fileprivate init(_ namespaces: [Configuration.Namespace]) {
        self.init(
            Dictionary(
                uniqueKeysWithValues: namespaces.map {
                    let history = HistoryLimit(count: $0.historySize, age: nil)
                    return ($0.name, NamespaceSettings(history: history, recovery: $0.recovery))
                }
            )
        )
    }
}

@Sendable package func answerWithRequest(_ request: ServerRequest) async -> ServerResponse {
    let body = String(decoding: request.body, as: UTF8.self)
    return ServerResponse(
        head: HTTPResponseHead(status: 200),
        body: Array("\(request.head.method) \(request.head.path) \(body)".utf8)
    )
}

/// One event that tasks wait for.
package final class LoopSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() { (stream, continuation) = AsyncStream.makeStream() }

    package func send() { continuation.finish() }

    package func wait() async { for await _ in stream {} }
}

extension Loop {
    package var subscriptionCount: Int { hub.subscriptionCount }

    /// Lets the deadlines of all clients come, as if it were `duration` later than it is.
    package func letTimePass(_ duration: Duration) {
        turn.begin(at: .now + duration)
        for id in connections.openConnections() {
            switch session(of: id) {
            case .client(let session): handleDeadline(session, on: id)
            case .eventStream(let session): handleDeadline(session, on: id)
            case .socketReader(let session): handleDeadline(session, on: id)
            case .none, .http, .echo: break
            }
        }
        eventLoop.wake()
    }

    /// Returns when the loop has seen the end of the last event stream.
    package func untilStreamsAreGone() async {
        while !Task.isCancelled, snapshot().open.eventStream > 0 { await Task.yield() }
    }

    /// Runs `body`, which may block, on the loop's thread between two turns.
    package func hold(_ body: @Sendable () -> Void) { body() }
}

extension Loop {
    /// What it has counted, without the look at every connection.
    package var counted: LoopCounters { turn.counters }
}

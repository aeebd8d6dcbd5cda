import Expectations
import Glibc
import LoopTesting
import Reactor
import Service

@testable import Loops

/// A loop that a test drives by hand: the time, the commits and the answers of the barrier come when the
/// test says so.
final class SteppedLoop {
    let loop: Loop
    private let time: Locked<MonotonicInstant>
    private let questions: Locked<[@Sendable () -> Void]>
    private(set) var answeredCount = 0
    private var cursor = LoopFixture.cursorBase
    private var offsets: [String: UInt64] = [:]

    /// Topics that are in a store.
    struct StoredTopics {
        let histories: HistoryTable
        let lister: TopicLister
    }

    init(
        hasBarrier: Bool = true,
        verifier: TokenVerifier = TokenVerifier(keys: TokenKeySet(configured: [])),
        stored: StoredTopics? = nil,
        _ change: (inout LoopSettings) -> Void = { _ in }
    ) throws {
        let time = Locked(MonotonicInstant(nanoseconds: 1_000_000_000))
        let questions = Locked<[@Sendable () -> Void]>([])
        let barrier: PositionBarrier = { done in questions.withLock { $0.append(done) } }
        var settings = LoopSettings.fixture
        settings.clock = .simulated { time.withLock { $0 } }
        // When a ring is closed, the kernel interrupts the thread that opened it. This one has other
        // tests too, which may be waiting for the network.
        settings.connections.ringSendsMin = .max
        change(&settings)
        let limits = LoopFixture.namespaces.map {
            ($0.name, HistoryLimit(count: $0.historySize, age: nil))
        }
        let namespaces = NamespaceTable(histories: Dictionary(uniqueKeysWithValues: limits))
        let hub =
            stored.map { LoopTopics(sharing: $0.histories) }
            ?? LoopTopics(
                epoch: LoopFixture.epoch,
                cursorBase: LoopFixture.cursorBase,
                namespaces: namespaces
            )
        loop = try Loop(
            index: 0,
            settings: settings,
            hub: hub,
            rules: NamespaceRules(LoopFixture.namespaces, domains: [:], reserved: []),
            verifier: verifier,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            publisher: noPublisher,
            barrier: hasBarrier ? barrier : nil,
            lister: stored?.lister,
            respond: answerWithRequest
        )
        self.time = time
        self.questions = questions
    }

    /// Takes turns until all that has come is handled.
    func run() {
        for _ in 0..<16 { loop.step() }
    }

    /// Takes a turn. Returns whether the next one is due at once.
    func mustTurn() -> Bool {
        guard let next = loop.step() else { return false }
        return next <= time.withLock { $0 }
    }

    func letTimePass(_ duration: Duration) {
        time.withLock { $0 = $0 + duration }
        run()
    }

    // MARK: The store

    func publish(_ topic: String, _ payload: String) {
        cursor += 1
        offsets[topic, default: 0] += 1
        let publication = Publication(
            topic: Topic(trusted: topic),
            offset: offsets[topic]!,
            cursor: cursor,
            time: Timestamp(milliseconds: 0),
            payload: Array(payload.utf8)
        )
        let now = time.withLock { $0 }
        expect(loop.mailbox.post(.publications([publication], committed: now)))
        run()
    }

    /// Questions that the barrier was asked so far.
    var questionCount: Int { answeredCount + questions.withLock { $0.count } }

    /// The barrier answers all questions that it was asked.
    func answer() {
        let asked = questions.withLock { questions in
            defer { questions = [] }
            return questions
        }
        answeredCount += asked.count
        for completion in asked { completion() }
        run()
    }

    // MARK: The loop

    func ask<Value: Sendable>(_ body: @Sendable (isolated Loop) -> Value) -> Value {
        loop.eventLoop.perform { loop.assumeIsolated { body($0) } }
    }

    var waitCount: UInt64 { ask { $0.counted.positionWaits } }
    var postponedCount: Int { ask { $0.waiting.count } }

    // MARK: Clients

    func connect() throws -> SteppedClient {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try require(socketpair(AF_UNIX, type, 0, &pair) == 0)
        loop.adopt(pair[0])
        return SteppedClient(pair[1], self)
    }

    /// A client that has sent a connect command.
    func connectSession(_ fields: String = "") throws -> SteppedClient {
        let client = try connect()
        client.upgrade()
        client.sendText(#"{"id":1,"connect":{\#(fields)}}"#)
        return client
    }
}

/// A client of a `SteppedLoop`. Each of its inputs is handled at once, as far as the loop handles it.
final class SteppedClient {
    private var socket: Int32
    private let hub: SteppedLoop
    private var buffer: [UInt8] = []
    private(set) var hasEnded = false

    init(_ socket: Int32, _ hub: SteppedLoop) {
        self.socket = socket
        self.hub = hub
    }

    deinit { close() }

    func send(_ bytes: [UInt8], runs: Bool = true) {
        expectEqual(Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)), bytes.count)
        if runs { hub.run() }
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// - Parameter runs: whether the loop takes turns at once.
    func sendText(_ text: String, runs: Bool = true) {
        send(clientFrame(1, Array(text.utf8)), runs: runs)
    }

    func finishSending() {
        shutdown(socket, Int32(SHUT_WR))
        hub.run()
    }

    func close() {
        guard socket >= 0 else { return }
        Glibc.close(socket)
        socket = -1
        hub.run()
    }

    /// Opens a WebSocket, and reads the answer.
    func upgrade(_ target: String = "/connection/websocket", _ fields: [String] = []) {
        send(webSocketRequest(target, fields))
        let head = received()
        expect(head.hasPrefix("HTTP/1.1 101 "), "\(head)")
    }

    /// All that has come since the last call.
    func received() -> String {
        readAll()
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Reads what has come, and drops it.
    func discard() {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { piece in
            while recv(socket, piece.baseAddress, piece.count, 0) > 0 {}
        }
    }

    /// The messages of a WebSocket that have come since the last call.
    func messages() -> [String] {
        readAll()
        var messages: [String] = []
        while let length = nextLength() {
            let start = buffer[1] == 126 ? 4 : 2
            guard buffer.count >= start + length else { break }
            messages.append(String(decoding: buffer[start..<start + length], as: UTF8.self))
            buffer.removeFirst(start + length)
        }
        return messages
    }

    /// The length of the next message, of at most 65535 bytes; nil without a header.
    private func nextLength() -> Int? {
        guard buffer.count >= 2 else { return nil }
        guard buffer[1] == 126 else { return Int(buffer[1]) }
        guard buffer.count >= 4 else { return nil }
        return Int(buffer[2]) << 8 | Int(buffer[3])
    }

    private func readAll() {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(socket, &piece, piece.count, 0)
            if count == 0 { hasEnded = true }
            guard count > 0 else { return }
            buffer += piece.prefix(count)
        }
    }
}

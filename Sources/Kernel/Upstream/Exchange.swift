import Locking
import Reactor
import Synchronization

/// One request on its way, from `send` to its answer.
///
/// `@unchecked Sendable`: the loop's thread alone touches what changes, but for what is atomic or locked.
final class Exchange: @unchecked Sendable {
    typealias Outcome = Result<UpstreamResponse, UpstreamError>

    enum Phase {
        case new
        /// Of a host that has all the connections it may have.
        case waiting
        case resolving
        case connecting(Dial)
        /// TCP stands; a proxy is asked, or TLS agreed upon.
        case preparing(Line)
        case firstByte(Line)
        case reading(Line)
        /// The answer was told; the rest of its content is read so that the connection can be used again.
        case dropping(Line)
        case done
    }

    let request: UpstreamRequest
    let profile: UpstreamProfile
    let key: PoolKey
    let start: MonotonicInstant
    let isCancelled = Atomic(false)
    private struct Continuation {
        var resume: (@Sendable (Outcome) -> Void)?
    }

    /// From any thread: a loop that was shut down tells nobody anything.
    private let continuation: Locked<Continuation>

    var phase = Phase.new
    /// When the phase under way has lasted too long, and when the loop has to look at it.
    var phaseEnd: MonotonicInstant
    var scheduled: MonotonicInstant?
    /// Whether it is on a connection that has carried another before.
    var isOnKeptLine = false
    /// Whether anything of the answer has come.
    var hasReceived = false
    var hasSentBody = false
    var bodyWaitsUntil: MonotonicInstant?

    init(
        _ request: UpstreamRequest,
        profile: UpstreamProfile,
        start: MonotonicInstant,
        resume: @escaping @Sendable (Outcome) -> Void
    ) {
        self.request = request
        self.profile = profile
        self.start = start
        continuation = Locked(Continuation(resume: resume))
        key = PoolKey(request, profile)
        phaseEnd = start + request.deadlines.whole
    }

    var isDone: Bool { if case .done = phase { true } else { false } }

    /// Until when all of it has to be over.
    var end: MonotonicInstant { start + request.deadlines.whole }

    /// Which proxy the connection goes to; nil for a direct one.
    var proxy: ProxySettings.Proxy? { key.proxy }

    /// Tells the one who waits; only the first time.
    func tell(_ outcome: Outcome) {
        let resume = continuation.withLock { continuation in
            defer { continuation.resume = nil }
            return continuation.resume
        }
        resume?(outcome)
    }

    /// Begins a phase that may last so long, as far as the whole allows.
    func enter(_ phase: Phase, until instant: MonotonicInstant) {
        self.phase = phase
        phaseEnd = min(instant, end)
    }

    /// What has taken too long.
    var timeout: UpstreamError {
        let deadlines = request.deadlines
        let isWhole = phaseEnd >= end
        switch phase {
        case .resolving:
            return .timedOut(.resolving, after: isWhole ? deadlines.whole : deadlines.resolving)
        case .connecting, .preparing:
            return .timedOut(.connecting, after: isWhole ? deadlines.whole : deadlines.connecting)
        case .new, .waiting: return .timedOut(.waiting, after: deadlines.whole)
        case .firstByte:
            return .timedOut(.firstByte, after: isWhole ? deadlines.whole : deadlines.firstByte)
        case .reading, .dropping, .done: return .timedOut(.whole, after: deadlines.whole)
        }
    }
}

/// The attempts to connect for one request.
final class Dial {
    let addresses: [SocketAddress]
    var race: HappyEyeballs
    /// Lines that are being connected.
    var attempts: [Line] = []
    /// When the next address is tried.
    var nextAttempt: MonotonicInstant?
    /// Of the last address that failed.
    var error = "no address"

    init(_ addresses: [SocketAddress]) {
        self.addresses = HappyEyeballs.interleaved(addresses) { $0.isIPv6 }
        race = HappyEyeballs(addressCount: self.addresses.count)
    }
}

/// Which requests may share a connection.
struct PoolKey: Hashable {
    let profile: ObjectIdentifier
    let isSecure: Bool
    let host: String
    let port: UInt16
    /// The one address that the request may go to.
    let address: String?
    let proxy: ProxySettings.Proxy?

    init(_ request: UpstreamRequest, _ profile: UpstreamProfile) {
        self.profile = ObjectIdentifier(profile)
        isSecure = request.url.isSecure
        host = request.url.host
        port = request.url.port
        address = request.address?.description
        proxy = request.address == nil ? profile.settings.proxies.proxy(for: request.url) : nil
    }

    /// Which TLS sessions may be resumed: those with the same server, wherever it is.
    var server: String { "\(host):\(port)" }
}

/// One connection.
final class Line {
    enum State {
        case connecting(Exchange)
        /// CONNECT is out.
        case tunnelling(Exchange)
        case securing(Exchange)
        case busy(Exchange)
        case idle
        /// Of no use any more.
        case over
    }

    let id: ConnectionID
    let key: PoolKey
    /// Held, so that `key` names no other client as long as the line is there.
    let profile: UpstreamProfile
    var state: State
    let address: SocketAddress
    var reader = ResponseReader()
    /// With which its TLS session was begun, until the first answer.
    var usedTicket: TLSClientTicket?
    /// Whether it has carried a request.
    var isKept = false
    /// When it became idle, in the order of all lines of the loop.
    var idleNumber: UInt64 = 0

    init(id: ConnectionID, to address: SocketAddress, for exchange: Exchange) {
        self.id = id
        self.address = address
        key = exchange.key
        profile = exchange.profile
        state = .connecting(exchange)
    }

    var exchange: Exchange? {
        switch state {
        case .connecting(let exchange), .tunnelling(let exchange), .securing(let exchange),
            .busy(let exchange):
            exchange
        case .idle, .over: nil
        }
    }
}

/// The connections of one host, and who waits for one.
struct ConnectionPool {
    /// The one that was used last is used next, so that the rest can end.
    var idle: [Line] = []
    /// Connections, and those that are being made.
    var openCount = 0
    /// First come, first served. Those that are done are passed over.
    private var waiting: [Exchange] = []
    private var firstIndex = 0
    /// How many wait when those that are done are removed.
    private var cleanUpCount = ConnectionPool.cleanUpCountMin

    private static let cleanUpCountMin = 64

    var isUnused: Bool { openCount == 0 && !hasWaiting }

    var hasWaiting: Bool { waitingCount > 0 }

    /// With those that are done.
    var waitingCount: Int { waiting.count - firstIndex }

    mutating func addWaiting(_ exchange: Exchange) {
        if waiting.count >= cleanUpCount {
            waiting = waiting[firstIndex...].filter { !$0.isDone }
            firstIndex = 0
            cleanUpCount = max(2 * waiting.count, ConnectionPool.cleanUpCountMin)
        }
        waiting.append(exchange)
    }

    /// The one that has waited longest.
    mutating func firstWaiting() -> Exchange? {
        while hasWaiting {
            if !waiting[firstIndex].isDone { return waiting[firstIndex] }
            removeFirstWaiting()
        }
        return nil
    }

    mutating func removeFirstWaiting() {
        firstIndex += 1
        guard !hasWaiting else { return }
        waiting = []
        firstIndex = 0
    }
}

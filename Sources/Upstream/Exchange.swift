import Reactor
import Synchronization

/// One request in progress, from `send` to its response.
///
/// `@unchecked Sendable`: mutable state is used only on the loop's thread, except if atomic or
/// locked.
final class Exchange: @unchecked Sendable {
    typealias Outcome = Result<UpstreamResponse, UpstreamError>

    enum Phase {
        case new
        /// The host has the maximum number of connections.
        case waiting
        case resolving
        case connecting(Dial)
        /// TCP is connected; the CONNECT of a proxy or the TLS handshake is in progress.
        case preparing(Line)
        case firstByte(Line)
        case reading(Line)
        /// The response was returned; the rest of its content is read so that the connection can be
        /// reused.
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

    /// Taken from any thread, since a loop that was shut down resumes no caller.
    private let continuation: Locked<Continuation>

    var phase = Phase.new
    /// The deadline of the current phase, and the time at which the loop must check it.
    var phaseEnd: MonotonicInstant
    var scheduled: MonotonicInstant?
    /// Whether it is on a connection that has carried another request before.
    var isOnKeptLine = false
    /// Whether a part of the response has arrived.
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

    /// The deadline of the whole request.
    var end: MonotonicInstant { start + request.deadlines.whole }

    /// The proxy of the connection; nil for a direct one.
    var proxy: ProxySettings.Proxy? { key.proxy }

    /// Why the request may not be sent, by its `reach`; nil if it may.
    ///
    /// - Parameter addresses: those of its host or, with a proxy, of the proxy.
    func refusal(of addresses: [SocketAddress]) -> String? {
        guard key.isChecked, let reach = request.reach else { return nil }
        return proxy == nil
            ? reach.refusal(of: addresses) : reach.refusal(ofHostBehindProxy: request.url)
    }

    /// Resumes the caller with the outcome; only the first time.
    func tell(_ outcome: Outcome) {
        let resume = continuation.withLock { continuation in
            defer { continuation.resume = nil }
            return continuation.resume
        }
        resume?(outcome)
    }

    /// Begins a phase with this deadline, limited by that of the whole request.
    func enter(_ phase: Phase, until instant: MonotonicInstant) {
        self.phase = phase
        phaseEnd = min(instant, end)
    }

    /// The error for the deadline that has passed.
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
    /// Lines that are connecting.
    var attempts: [Line] = []
    /// The time at which the next address is tried.
    var nextAttempt: MonotonicInstant?
    /// The error of the last address that failed.
    var error = "no address"

    init(_ addresses: [SocketAddress]) {
        self.addresses = HappyEyeballs.interleaved(addresses) { $0.isIPv6 }
        race = HappyEyeballs(addressCount: self.addresses.count)
    }
}

/// The key of requests that may share a connection.
struct PoolKey: Hashable {
    let profile: ObjectIdentifier
    let isSecure: Bool
    let host: String
    let port: UInt16
    /// The explicit address of the request, if it has one.
    let address: String?
    let proxy: ProxySettings.Proxy?
    /// Whether the addresses of its connections are checked: other connections may lead to
    /// addresses that such a request may not reach.
    let isChecked: Bool

    init(_ request: UpstreamRequest, _ profile: UpstreamProfile) {
        self.profile = ObjectIdentifier(profile)
        isSecure = request.url.isSecure
        host = request.url.host
        port = request.url.port
        address = request.address?.description
        isChecked = request.reach?.isChecked(request.url) ?? false
        proxy = request.address == nil ? profile.settings.proxies.proxy(for: request.url) : nil
    }

    /// The key of TLS sessions that may be resumed: those with the same server, at any address.
    var server: String { "\(host):\(port)" }
}

/// One connection.
final class Line {
    enum State {
        case connecting(Exchange)
        /// CONNECT was sent.
        case tunnelling(Exchange)
        case securing(Exchange)
        case busy(Exchange)
        case idle
        /// Of no further use.
        case over
    }

    let id: ConnectionID
    let key: PoolKey
    /// Retained, so that `key` identifies no other client during the line's lifetime.
    let profile: UpstreamProfile
    var state: State
    let address: SocketAddress
    var reader = ResponseReader()
    /// The ticket with which its TLS session was begun, until the first response.
    var usedTicket: TLSClientTicket?
    /// Whether it has carried a request.
    var isKept = false
    /// The number of its last idle period, in the order of all lines of the loop.
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

/// The connections of one host, and the requests that wait for one.
struct ConnectionPool {
    /// The last one used is reused first, so that the others can expire.
    var idle: [Line] = []
    /// The number of connections, including those being established.
    var openCount = 0
    /// First come, first served. Completed requests are skipped.
    private var waiting: [Exchange] = []
    private var firstIndex = 0
    /// The length of `waiting` at which completed requests are removed.
    private var cleanUpCount = ConnectionPool.cleanUpCountMin

    private static let cleanUpCountMin = 64

    var isUnused: Bool { openCount == 0 && !hasWaiting }

    var hasWaiting: Bool { waitingCount > 0 }

    /// The number of waiting requests, including completed ones.
    var waitingCount: Int { waiting.count - firstIndex }

    mutating func addWaiting(_ exchange: Exchange) {
        if waiting.count >= cleanUpCount {
            waiting = waiting[firstIndex...].filter { !$0.isDone }
            firstIndex = 0
            cleanUpCount = max(2 * waiting.count, ConnectionPool.cleanUpCountMin)
        }
        waiting.append(exchange)
    }

    /// The request that has waited longest.
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

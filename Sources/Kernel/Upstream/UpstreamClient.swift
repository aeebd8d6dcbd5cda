// Upstream: HTTP/1.1 requests to other servers, on an event loop. Pools of kept connections, TLS, proxies,
// deadlines. Start with UpstreamClient.

import HTTPWire
import Locking
import Reactor
import Tracing

/// Makes requests to other servers (RFC 9110, RFC 9112), over connections that are kept.
///
/// Nothing is done unasked: no redirect is followed, no request is repeated, no cookie is kept. Several clients
/// may share a loop; each has connections of its own.
package final class UpstreamClient: Sendable {
    package struct Settings: Sendable {
        /// Whose certificates are believed. The host name is always checked with them.
        package var trust = TLSTrust.system
        package var proxies = ProxySettings.none
        /// Connections to one host, or to one address of it where that is given. More requests wait.
        package var connectionsPerHostMax = 64
        /// How long a connection is kept that nobody uses.
        package var idleTimeout = Duration.seconds(30)
        /// Nil sends no `traceparent`.
        package var traces: Traces?

        package init() {}

        /// With the proxies that the environment names.
        package init(environment: [String: String]) throws(ProxySettingsError) {
            proxies = try ProxySettings(environment: environment)
        }
    }

    /// How requests belong to traces (W3C Trace Context): to that of the task, or to one of their own.
    package struct Traces: Sendable {
        /// The flag `sampled` of traces that begin here.
        package var isSampled: Bool

        package init(isSampled: Bool) {
            self.isSampled = isSampled
        }
    }

    private let loop: UpstreamLoop
    private let profile: UpstreamProfile

    package init(_ settings: Settings = Settings(), on loop: UpstreamLoop = .shared) {
        self.loop = loop
        profile = UpstreamProfile(settings)
    }

    deinit {
        loop.forget(profile)
    }

    /// Ends the requests that are under way, and the connections.
    package func shutDown() {
        loop.forget(profile)
    }

    /// Runs work whose requests and log entries belong to one trace: that of the task, or a new one. A client that
    /// sends no traces begins none.
    package func traced<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        guard let traces = profile.settings.traces else { return try await work() }
        return try await CurrentTrace.continued(isSampled: traces.isSampled, work)
    }

    /// Sends a request and waits for what it wants of the answer. Cancelling the task ends it.
    package func send(
        _ request: UpstreamRequest
    ) async throws(UpstreamError) -> UpstreamResponse {
        var request = request
        if let traces = profile.settings.traces, !request.headers.contains(TraceParent.name) {
            let trace = CurrentTrace.child() ?? CurrentTrace.beginning(isSampled: traces.isSampled)
            request.headers.append(TraceParent.name, trace.description)
        }
        let start = loop.now
        var moves: [(status: Int, url: UpstreamURL)] = []
        while true {
            if let objection = RequestBytes.objection(to: request) { throw .notAllowed(objection) }
            var response = try await loop.send(request, profile, start: start).get()
            guard request.redirectsMax > 0, let next = try request.redirected(by: response) else {
                response.movedTo = moves.prefix { [301, 308].contains($0.status) }.last?.url
                return response
            }
            moves.append((response.status, next.url))
            request = next
        }
    }
}

/// What the requests of one client have in common.
///
/// `@unchecked Sendable`: the loop's thread alone touches what changes.
final class UpstreamProfile: @unchecked Sendable {
    let settings: UpstreamClient.Settings
    /// To resume TLS sessions with, by server, the newest last.
    private var tickets: [String: [TLSClientTicket]] = [:]
    private var context: TLSContext?

    private static let serversMax = 256
    private static let ticketsMax = 4

    init(_ settings: UpstreamClient.Settings) {
        precondition(settings.connectionsPerHostMax > 0)
        self.settings = settings
    }

    /// Made when the first TLS connection needs it, since it reads the certificates of the authorities.
    func tlsContext() throws(TLSError) -> TLSContext {
        if let context { return context }
        let made = try TLSContext(clientTrusting: settings.trust)
        context = made
        return made
    }

    /// One is taken for one connection only: RFC 8446 §C.4.
    func takeTicket(for server: String) -> TLSClientTicket? {
        guard let ticket = tickets[server]?.popLast() else { return nil }
        if tickets[server]?.isEmpty == true { tickets[server] = nil }
        return ticket
    }

    func keep(_ ticket: TLSClientTicket, for server: String) {
        if tickets[server] == nil, tickets.count >= UpstreamProfile.serversMax,
            let some = tickets.keys.first
        {
            tickets[some] = nil
        }
        tickets[server, default: []].append(ticket)
        if tickets[server]!.count > UpstreamProfile.ticketsMax { tickets[server]!.removeFirst() }
    }
}

extension UpstreamRequest {
    /// The request that a redirect asks for; nil where the answer is none.
    ///
    /// - Throws: `notAllowed` for a place that is no URL, and for one in plain text after one with TLS.
    func redirected(
        by response: UpstreamResponse
    ) throws(UpstreamError) -> UpstreamRequest? {
        guard [301, 302, 303, 307, 308].contains(response.status),
            let location = response.headers.first("Location")
        else { return nil }
        var next = self
        next.redirectsMax -= 1
        do throws(UpstreamURLError) {
            next.url = try url.resolving(location)
        } catch {
            throw .notAllowed("redirect: \(error)")
        }
        guard next.url.isSecure || !url.isSecure else {
            throw .notAllowed("redirect from https to http")
        }
        guard address == nil || next.url.origin == url.origin else {
            throw .notAllowed("redirect to another host than the one that was checked")
        }
        // RFC 9110 §15.4: what the old server was trusted with is not for another one.
        if next.url.origin != url.origin {
            for name in ["Authorization", "Cookie", "X-API-Key"] { next.headers.remove(name) }
        }
        // RFC 9110 §15.4.4, and what every client does with 301 and 302 to POST (§15.4.2).
        let becomesGet =
            response.status == 303
            ? method != "HEAD" : method == "POST" && response.status <= 302
        if becomesGet {
            next.method = "GET"
            next.body = []
            for name in ["Content-Type", "Content-Encoding"] { next.headers.remove(name) }
        }
        return next
    }
}

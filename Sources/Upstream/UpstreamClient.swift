// Upstream: HTTP/1.1 requests to other servers, on an event loop. Pools of persistent connections,
// TLS, proxies, deadlines. Start with UpstreamClient.

import Reactor

/// Sends requests to other servers (RFC 9110, RFC 9112), over persistent connections.
///
/// By default, no redirect is followed, no request is repeated, no cookie is stored. Several
/// clients may share a loop; each has its own connections.
package final class UpstreamClient: Sendable {
    package struct Settings: Sendable {
        /// The trusted certificate authorities. The host name is always checked as well.
        package var trust = TLSTrust.system
        package var proxies = ProxySettings.none
        /// The maximum number of connections to one host, or to the request's explicit address.
        /// Further requests wait.
        package var connectionsPerHostMax = 64
        /// The time for which an idle connection is kept.
        package var idleTimeout = Duration.seconds(30)
        /// If nil, no `traceparent` is sent.
        package var traces: Traces?

        package init() {}

        /// Settings with the proxies of the environment.
        package init(environment: [String: String]) throws(ProxySettingsError) {
            proxies = try ProxySettings(environment: environment)
        }
    }

    /// The assignment of requests to traces (W3C Trace Context): to that of the task, or to new
    /// ones.
    package struct Traces: Sendable {
        /// The flag `sampled` of new traces.
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

    /// Ends the requests in progress, and the connections.
    package func shutDown() {
        loop.forget(profile)
    }

    /// Runs work whose requests and log entries belong to one trace: that of the task, or a new
    /// one. A client without `traces` begins none.
    package func traced<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        guard let traces = profile.settings.traces else { return try await work() }
        return try await CurrentTrace.continued(isSampled: traces.isSampled, work)
    }

    /// Sends a request and waits for the response. Cancelling the task ends it.
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

/// The shared state of one client's requests.
///
/// `@unchecked Sendable`: mutable state is used only on the loop's thread.
final class UpstreamProfile: @unchecked Sendable {
    let settings: UpstreamClient.Settings
    /// The tickets to resume TLS sessions, by server, the newest last.
    private var tickets: [String: [TLSClientTicket]] = [:]
    private var context: TLSContext?

    private static let serversMax = 256
    private static let ticketsMax = 4

    init(_ settings: UpstreamClient.Settings) {
        precondition(settings.connectionsPerHostMax > 0)
        self.settings = settings
    }

    /// Created for the first TLS connection, since it reads the certificates of the authorities.
    func tlsContext() throws(TLSError) -> TLSContext {
        if let context { return context }
        let made = try TLSContext(clientTrusting: settings.trust)
        context = made
        return made
    }

    /// Takes a ticket, which is used for only one connection: RFC 8446 §C.4.
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
    /// Returns the request of a redirect; nil if the response is not a redirect.
    ///
    /// - Throws: `notAllowed` for a Location that is not a URL, and for a change from TLS to
    ///   plaintext.
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
        // RFC 9110 §15.4: credentials of the old server must not be sent to another one.
        if next.url.origin != url.origin {
            for name in ["Authorization", "Cookie", "X-API-Key"] { next.headers.remove(name) }
        }
        // RFC 9110 §15.4.4, and the behaviour of all clients for 301 and 302 to POST (§15.4.2).
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

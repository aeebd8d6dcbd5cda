/// Which web pages may use a server from a browser.
///
/// A browser lets any page open a WebSocket to any server, and sends along what it knows of the
/// visitor: his network, his cookies. Only the server can tell a page of its own from one that abuses
/// its visitor (RFC 6455 §10.2, cross-site WebSocket hijacking). So a page is let in when it comes from
/// the server that it asks, or from a listed origin. Whoever sends no Origin is no page: browsers
/// always send it with a WebSocket handshake, and with a request across origins whose answer the page
/// gets to see.
///
/// **Not here.** A page whose host name its owner points at this server comes from the server that it
/// asks, as far as the request tells (DNS rebinding). Who must keep such visitors out needs
/// credentials, or a proxy that knows its own names.
///
/// RFC 6454 §7 (Origin), RFC 6455 §4.2.2 and §10.2; the fields of answers are in
/// OriginPolicy+CORS.swift.
package struct OriginPolicy: Sendable, Equatable {
    package let allowed: [OriginPattern]

    package init(allowed: [OriginPattern] = []) {
        self.allowed = allowed
    }

    package enum Verdict: Sendable, Equatable {
        /// The request names no origin.
        case noOrigin
        /// The page was loaded from the host and port that the request is for.
        case sameOrigin
        case listed
        /// Some other page, or an Origin that is none.
        case foreign

        package var isAllowed: Bool {
            switch self {
            case .noOrigin, .sameOrigin, .listed: true
            case .foreign: false
            }
        }
    }

    package func verdict(on request: HTTPRequestHead) -> Verdict {
        let values = request.headers.all("Origin")
        guard let value = values.first else { return .noOrigin }
        // RFC 6454 §7.3: "The user agent MUST NOT include more than one Origin header field in any
        // HTTP request." Two of them come from somebody who wants the wrong one to be looked at.
        guard values.count == 1 else { return .foreign }
        if allowed.contains(where: { $0.matches(value) }) { return .listed }
        guard let origin = WebOrigin(value), let authority = request.authority,
            origin.isServed(by: authority)
        else { return .foreign }
        return .sameOrigin
    }

    /// What a foreign page is told with status 403; nil when the request is allowed.
    package func refusal(of request: HTTPRequestHead) -> String? {
        guard !verdict(on: request).isAllowed else { return nil }
        let values = request.headers.all("Origin")
        guard values.count == 1 else { return "\(values.count) origin fields" }
        return "origin \(excerpt(values[0])) is not allowed here"
    }
}

/// The rules for web pages that may use a server from a browser.
///
/// A browser lets any page open a WebSocket to any server, with the network access and the cookies
/// of the visitor. Only the server can distinguish its own pages from one that abuses its visitor
/// (RFC 6455 §10.2, cross-site WebSocket hijacking). So a page is accepted if it comes from the
/// requested server or from a listed origin. A client that sends no Origin is not a page: browsers
/// always send it with a WebSocket handshake, and with a cross-origin request whose answer the page
/// can read.
///
/// **Not here.** A page whose owner points its host name at this server appears in the request to
/// come from this server (DNS rebinding). To keep such visitors out, use credentials, or a proxy
/// that checks host names.
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
        /// Another page, or an invalid Origin.
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
        // HTTP request." A client that sends two may intend the wrong one to be checked.
        guard values.count == 1 else { return .foreign }
        if allowed.contains(where: { $0.matches(value) }) { return .listed }
        guard let origin = WebOrigin(value), let authority = request.authority,
            origin.isServed(by: authority)
        else { return .foreign }
        return .sameOrigin
    }

    /// The text for a foreign page with status 403; nil if the request is allowed.
    package func refusal(of request: HTTPRequestHead) -> String? {
        guard !verdict(on: request).isAllowed else { return nil }
        let values = request.headers.all("Origin")
        guard values.count == 1 else { return "\(values.count) origin fields" }
        return "origin \(excerpt(values[0])) is not allowed here"
    }
}

/// The rules for web pages that may use a server from a browser.
///
/// A browser lets any page open a WebSocket to any server, with the network access and the cookies
/// of the visitor. Only the server can distinguish its own pages from one that abuses its visitor
/// (RFC 6455 §10.2, cross-site WebSocket hijacking). So a page is accepted if it comes from the
/// requested server or from a listed origin. A client that sends no Origin is not a page: browsers
/// always send it with a WebSocket handshake, and with a cross-origin request whose answer the page
/// can read.
///
/// **Names that lead to this server.** The owner of a page can point its host name at this server
/// (DNS rebinding). Such a page appears in its requests to come from this server, so a name counts
/// only if it is `localhost`, listed, or forwarded by a proxy that serves its own names. An address
/// belongs to the machine that has it.
///
/// **Pages that send no Origin.** An image or a link makes a request without Origin. Browsers state
/// in `Sec-Fetch-Site` that another site caused it.
///
/// **Not here.** A page whose name leads to this server sends no Origin with the GET requests that
/// it makes to its own name. To keep such visitors out, use credentials, or a proxy that checks host
/// names.
///
/// RFC 6454 §7 (Origin), RFC 6455 §4.2.2 and §10.2; Fetch Metadata Request Headers
/// (https://www.w3.org/TR/fetch-metadata/); the fields of answers are in OriginPolicy+CORS.swift.
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

    /// - Parameter isForwarded: whether a trusted proxy has forwarded the request, so that its host
    ///   is a name that the proxy serves.
    package func verdict(on request: HTTPRequestHead, isForwarded: Bool = false) -> Verdict {
        let values = request.headers.all("Origin")
        guard let value = values.first else {
            let isOther = request.otherSite != nil && !allowed.contains(.any)
            return isOther ? .foreign : .noOrigin
        }
        // RFC 6454 §7.3: "The user agent MUST NOT include more than one Origin header field in any
        // HTTP request." A client that sends two may intend the wrong one to be checked.
        guard values.count == 1 else { return .foreign }
        if allowed.contains(where: { $0.matches(value) }) { return .listed }
        guard let origin = WebOrigin(value), let authority = request.authority,
            origin.isServed(by: authority), origin.isMachine || isForwarded
        else { return .foreign }
        return .sameOrigin
    }

    /// Whether the page appears to come from this server by a name that is neither listed nor `localhost`.
    /// Its owner may have pointed the name here; then it sends any header without a preflight.
    package func isOfUnlistedName(_ request: HTTPRequestHead) -> Bool {
        let values = request.headers.all("Origin")
        guard values.count == 1, !allowed.contains(where: { $0.matches(values[0]) }),
            let origin = WebOrigin(values[0]), let authority = request.authority
        else { return false }
        return origin.isServed(by: authority) && !origin.isMachine
    }

    /// The text for a foreign page with status 403; nil if the request is allowed.
    ///
    /// - Parameter isForwarded: as for the verdict.
    package func refusal(of request: HTTPRequestHead, isForwarded: Bool = false) -> String? {
        guard !verdict(on: request, isForwarded: isForwarded).isAllowed else { return nil }
        let values = request.headers.all("Origin")
        if values.isEmpty, let site = request.otherSite {
            return "a page of another site is not allowed here: Sec-Fetch-Site \(excerpt(site))"
        }
        guard values.count == 1 else { return "\(values.count) origin fields" }
        return "origin \(excerpt(values[0])) is not allowed here"
    }
}

extension HTTPRequestHead {
    /// The value of `Sec-Fetch-Site` if it names another page than those of the requested server;
    /// nil if there is none, also for an address that the visitor has entered (`none`).
    fileprivate var otherSite: String? {
        headers.all("Sec-Fetch-Site").first { $0 != "same-origin" && $0 != "none" }
    }
}

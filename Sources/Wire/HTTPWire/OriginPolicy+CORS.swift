// Cross-origin resource sharing: which fields let a browser show an answer to a page of another origin.
// The Fetch standard, https://fetch.spec.whatwg.org/#http-cors-protocol.

extension OriginPolicy {
    /// The request fields that a page of another origin may send in addition to those that any page
    /// may: those that the hub reads, and those that readers of event streams and tracing libraries
    /// add by themselves, without which their requests would fail.
    package static let requestFields = [
        "Authorization", "Cache-Control", "Content-Type", "If-None-Match", "Last-Event-ID",
        "X-Request-ID", "X-User-ID", "baggage", "traceparent", "tracestate",
    ].joined(separator: ", ")
    /// The field of API keys. Keys of backends are no business of pages, so a page may send it only where
    /// apps in browsers have keys of their own.
    package static let keyField = "X-API-Key"
    /// The response fields that a page of another origin can read in addition to those that any
    /// page can: each field that protocol/openapi documents. Cache-Control, Content-Language and
    /// Content-Type are shown without being listed (Fetch, "CORS-safelisted response-header name");
    /// Content-Language is named for browsers that do not treat it as one of them.
    package static let responseFields = [
        "Content-Language", "Date", "ETag", "Link", "Location", "Retry-After", "WWW-Authenticate",
        "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-ID",
    ].joined(separator: ", ")
    /// The time for which a browser may keep the answer to a preflight: two hours, the maximum of
    /// all browsers.
    package static let preflightMaxAgeSeconds = 7200

    /// Adds the fields of the protocol to an answer.
    ///
    /// The answer to a preflight, which a browser sends before a page's request, lists the methods
    /// of the response's `Allow`. `Access-Control-Allow-Credentials` is never sent: no decision
    /// here depends on a cookie, so no page needs to send one, and with `*` it would open the
    /// visitor's own view to every page.
    ///
    /// - Parameters:
    ///   - request: nil if none could be read.
    ///   - takesKey: whether a page may send an API key with its request.
    package func addFields(
        to response: inout HTTPResponseHead,
        answering request: HTTPRequestHead?,
        takesKey: Bool = false
    ) {
        guard !allowed.isEmpty else { return }
        if allowed.contains(.any) {
            response.headers.replace("Access-Control-Allow-Origin", with: "*")
        } else {
            // Also where no Origin came: a cache may not give that answer to a page.
            response.headers.appendVary("Origin")
            guard let request, verdict(on: request) == .listed,
                let origin = request.headers.first("Origin")
            else { return }
            response.headers.replace("Access-Control-Allow-Origin", with: origin)
        }
        if let request, request.isPreflight {
            addPreflightFields(to: &response, takesKey: takesKey)
        } else {
            response.headers.append(
                "Access-Control-Expose-Headers",
                OriginPolicy.responseFields
            )
        }
    }

    private func addPreflightFields(to response: inout HTTPResponseHead, takesKey: Bool) {
        guard let methods = response.headers.first("Allow") else { return }
        let key = takesKey ? ", \(OriginPolicy.keyField)" : ""
        response.headers.append("Access-Control-Allow-Methods", methods)
        response.headers.append("Access-Control-Allow-Headers", OriginPolicy.requestFields + key)
        response.headers.append(
            "Access-Control-Max-Age",
            String(OriginPolicy.preflightMaxAgeSeconds)
        )
    }
}

extension HTTPRequestHead {
    fileprivate var isPreflight: Bool {
        method == "OPTIONS" && headers.contains("Origin")
            && headers.contains("Access-Control-Request-Method")
    }
}

extension HTTPHeaders {
    /// Adds a field's name to the list of those that the answer depends on (RFC 9110 §12.5.5).
    fileprivate mutating func appendVary(_ name: String) {
        guard !contains("Vary", token: name), !contains("Vary", token: "*") else { return }
        let names = listValues("Vary") + [name[...]]
        replace("Vary", with: names.joined(separator: ", "))
    }
}

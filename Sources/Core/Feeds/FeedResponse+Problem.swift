extension FeedResponse {
    /// met.no announces the end of a product's version with 203, and a proxy that it has changed
    /// the body (RFC 9110 §15.3.4).
    var warning: String? {
        status == 203 ? "status 203: product is deprecated or changed by a proxy" : nil
    }

    /// Why a response without a body to decode is a failure.
    func reason(retryDelay: Duration?) -> String {
        var reason = "status \(status)"
        if status == 304 { reason += " to a request without conditions" }
        if let detail { reason += ": \(detail)" }
        if let retryDelay { reason += ", retry after \(retryDelay.wholeMilliseconds / 1000) s" }
        return reason
    }
}

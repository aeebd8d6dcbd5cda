/// The state of an upstream that a feed keeps from one request to the next, also across restarts.
///
/// The caller stores it in the same transaction as the changes of the body: a validator without the
/// state that came with it would be answered with 304 indefinitely, and the old data would stay. If
/// the state is lost, start with `FeedValidators()`.
package struct FeedValidators: Codable, Sendable, Equatable {
    /// `ETag`, exactly as sent.
    package var etag: String?
    /// `Last-Modified`, exactly as sent: some upstreams compare it as text (RFC 9110 §13.1.3).
    package var lastModified: String?
    /// The upstream allows no request before this: `Expires` and `max-age` if the policy honours
    /// them, and `Retry-After`.
    package var notBefore: Timestamp?
    /// The start of the request that last succeeded, so that a restart keeps the interval.
    package var fetched: Timestamp?
    /// The upstream's new address from its permanent redirects.
    package var move: FeedMove?

    /// A longer validator is not kept; the next request is then unconditional.
    package static let lengthMax = 1024

    static func kept(_ validator: String?) -> String? {
        guard let validator, validator.utf8.count <= lengthMax else { return nil }
        return validator
    }

    package init(
        etag: String? = nil,
        lastModified: String? = nil,
        notBefore: Timestamp? = nil,
        fetched: Timestamp? = nil,
        move: FeedMove? = nil
    ) {
        self.etag = etag
        self.lastModified = lastModified
        self.notBefore = notBefore
        self.fetched = fetched
        self.move = move
    }

    /// Where a feed is that is configured at `url`. A move from another URL was that of another upstream.
    package func location(of url: String) -> String {
        move.flatMap { $0.from == url ? $0.to : nil } ?? url
    }

    /// Whether a request can be conditional, and so whether a 304 can be its answer.
    package var isConditional: Bool { etag != nil || lastModified != nil }

    /// Whether a feed that begins with these at `now` makes its first attempt at once: its last
    /// data is overdue, and the upstream allows a request.
    package func isDue(_ policy: FeedPolicy, now: Timestamp) -> Bool {
        if let notBefore, notBefore > now { return false }
        // A success in the future was made under another clock.
        guard let fetched, fetched <= now else { return true }
        return fetched + policy.jitteredInterval(random: 1) <= now
    }

    var requestHeaders: FeedRequestHeaders {
        var headers: FeedRequestHeaders = []
        if let etag { headers.append((name: "If-None-Match", value: etag)) }
        if let lastModified { headers.append((name: "If-Modified-Since", value: lastModified)) }
        return headers
    }
}

/// Where a feed was when it was configured, and where it is now.
package struct FeedMove: Codable, Sendable, Equatable {
    package var from: String
    package var to: String

    package init(from: String, to: String) {
        self.from = from
        self.to = to
    }
}

/// The conditional headers of one request, sent in addition to the caller's own.
package typealias FeedRequestHeaders = [(name: String, value: String)]

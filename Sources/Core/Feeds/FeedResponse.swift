/// The parts of an HTTP response that a feed needs: the status and some header texts, exactly as
/// sent.
package struct FeedResponse: Sendable, Equatable {
    package var status: Int
    package var etag: String?
    package var lastModified: String?
    package var date: String?
    package var expires: String?
    package var cacheControl: String?
    package var retryAfter: String?
    /// By permanent redirects, from the configured URL.
    package var move: FeedMove?
    /// The text of an error's body, if its format is known; for the log.
    package var detail: String?

    package init(
        status: Int,
        etag: String? = nil,
        lastModified: String? = nil,
        date: String? = nil,
        expires: String? = nil,
        cacheControl: String? = nil,
        retryAfter: String? = nil,
        move: FeedMove? = nil,
        detail: String? = nil
    ) {
        self.status = status
        self.etag = etag
        self.lastModified = lastModified
        self.date = date
        self.expires = expires
        self.cacheControl = cacheControl
        self.retryAfter = retryAfter
        self.move = move
        self.detail = detail
    }
}

/// Why a request brought no complete response.
package enum FeedFailure: Error, Sendable, Equatable {
    case timedOut(after: Duration)
    case connectFailed(String)
    /// The connection broke after it had been made.
    case transferFailed(String)
    case bodyTooLarge(limit: Int)
    /// The request was never sent: its address or scheme is not allowed.
    case notAllowed(String)

    /// Whether the next attempt may have another result within seconds.
    var isTransient: Bool {
        switch self {
        case .timedOut, .connectFailed, .transferFailed: true
        case .bodyTooLarge, .notAllowed: false
        }
    }
}

extension FeedFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .timedOut(let duration): "no complete response within \(duration)"
        case .connectFailed(let text): "cannot connect: \(text)"
        case .transferFailed(let text): "transfer broke off: \(text)"
        case .bodyTooLarge(let limit): "body over limit \(limit) bytes"
        case .notAllowed(let text): "not allowed: \(text)"
        }
    }
}

/// The caller's next step after a finished request.
package enum FeedOutcome: Sendable, Equatable {
    /// Decode the body and store its changes together with `validators`; then call `accepted` or
    /// `rejected`. A warning is for the log; the body is good.
    case body(validators: FeedValidators, warning: String?)
    /// The data is unchanged. Store `validators` if they differ from those stored last.
    case notModified(validators: FeedValidators)
    /// Log it. The machine's `validators` may have a later `notBefore`, worth storing.
    case failed(FeedProblem)
}

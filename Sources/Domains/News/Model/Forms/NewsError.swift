/// An error answer of a route of `/v1`: `{"error":…,"details":…}`.
///
/// `error` is the sentence that the app shows. The documented ones are exactly as in the document.
package struct NewsError: Error, Equatable, CustomStringConvertible {
    /// Of HTTP.
    package var status: Int
    package var error: String
    /// For developers: the field, the value found, the value expected. Left out of the body if nil.
    package var details: String?
    /// For the header `Retry-After`.
    package var retryAfterSeconds: Int?

    package init(
        status: Int,
        _ error: String,
        details: String? = nil,
        retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        self.error = error
        self.details = details
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// A field of the query or the body that is not as described.
    package init(_ error: RequestError) {
        self.init(
            status: 400,
            error.field.map { "Invalid value of \($0)" } ?? "Invalid request body",
            details: error.description
        )
    }

    package var description: String {
        "\(status): \(error)" + (details.map { " (\($0))" } ?? "")
    }

    package func json() -> [UInt8] {
        newsJSON { json in
            json.field("error", error)
            if let details { json.field("details", details) }
        }
    }
}

extension NewsError {
    package static let userIDRequired = NewsError(status: 400, "User ID is required")

    package static func invalidUserID(_ text: some StringProtocol) -> NewsError {
        NewsError(
            status: 400,
            "Invalid user ID",
            details: """
                the user ID is "\(RequestError.excerpt(text.utf8))", \(text.utf8.count) bytes, \
                expected 1 to \(NewsUserID.bytesMax) bytes of UTF-8 without control characters
                """
        )
    }

    package static func severalUserIDs(count: Int) -> NewsError {
        NewsError(
            status: 400,
            "Invalid user ID",
            details: "the request has \(count) headers X-User-ID, expected one"
        )
    }

    /// - Parameter details: the holding, and the value found there.
    package static func invalidTicker(details: String?) -> NewsError {
        NewsError(
            status: 400,
            "Invalid ticker format. Use 1-5 letters/numbers (e.g., AAPL, NVDA)",
            details: details
        )
    }

    package static let interpretEmpty = NewsError(
        status: 400,
        "Text or URL is required",
        details: "textOrUrl is missing or empty"
    )

    package static func interpretTooLong(length: Int, limit: Int) -> NewsError {
        NewsError(
            status: 400,
            "Text is too long",
            details: "textOrUrl has \(length) characters, over limit \(limit)"
        )
    }

    /// Also for an address that the hub does not fetch from. The reason must not reveal its
    /// network.
    package static func urlNotReadable(details: String?) -> NewsError {
        NewsError(status: 400, "The URL cannot be interpreted", details: details)
    }

    /// Of pushed articles, which have no user.
    package static let apiKeyRequired = NewsError(status: 401, "API key is missing or invalid")

    /// The one meaning that the document gives to 403.
    package static let forbidden = NewsError(
        status: 403,
        "Insufficient permissions or invalid API key"
    )

    package static let notFound = NewsError(
        status: 404,
        "Resource not found",
        details: "nothing is at this path"
    )

    package static func storyNotFound(_ id: some StringProtocol) -> NewsError {
        let id = RequestError.excerpt(id.utf8)
        return NewsError(status: 404, "Story not found", details: "no story has the id \(id)")
    }

    package static func signalNotFound(_ id: some StringProtocol) -> NewsError {
        let id = RequestError.excerpt(id.utf8)
        return NewsError(status: 404, "Signal not found", details: "no signal has the id \(id)")
    }

    package static func articleNotFound(_ url: some StringProtocol) -> NewsError {
        let url = RequestError.excerpt(url.utf8)
        return NewsError(
            status: 404,
            "Article not found",
            details: "no article has the URL \(url)"
        )
    }

    /// - Parameter allowed: the methods of the path, as in `Allow`.
    package static func methodNotAllowed(allowed: String) -> NewsError {
        NewsError(
            status: 405,
            "Method not allowed",
            details: "the methods of this path are \(allowed)"
        )
    }

    package static func bodyTooLong(bytesMax: Int) -> NewsError {
        NewsError(
            status: 413,
            "Request body is too large",
            details: "the body is over limit \(bytesMax) bytes"
        )
    }

    package static func rateLimitExceeded(retryAfterSeconds: Int) -> NewsError {
        NewsError(status: 429, "Rate limit exceeded", retryAfterSeconds: retryAfterSeconds)
    }

    package static let `internal` = NewsError(status: 500, "Internal server error")

    package static func unavailable(
        details: String? = nil,
        retryAfterSeconds: Int? = nil
    ) -> NewsError {
        NewsError(
            status: 503,
            "Service unavailable",
            details: details,
            retryAfterSeconds: retryAfterSeconds
        )
    }
}

import Wire

/// An error in the form of most routes: `{"message":…,"code":…}`.
package struct RouteRefusal: Error {
    package var status: Int
    package var code: String
    package var message: String
    package var retryAfter: Duration?
    package var standing: RateStanding?
    /// The challenge of a 401.
    package var challenge = Challenge.token

    package init(
        _ status: Int,
        _ code: String,
        _ message: String,
        retryAfter: Duration? = nil,
        standing: RateStanding? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.standing = standing
    }

    package static func unauthorized(_ message: String) -> RouteRefusal {
        RouteRefusal(401, "UNAUTHORIZED", message)
    }

    package static var keyNeeded: RouteRefusal {
        var refusal = unauthorized("an API key is needed, in the header X-API-Key")
        refusal.challenge = Challenge.apiKey
        return refusal
    }

    package static let unavailable = RouteRefusal(
        503,
        "UNAVAILABLE",
        "try again later"
    )

    package static let tooManyReads = RouteRefusal(
        429,
        "RATE_LIMITED",
        "too many of your requests wait; send fewer at once",
        retryAfter: FairReads.Refused.retryAfter
    )

    package static let `internal` = RouteRefusal(500, "INTERNAL", "internal error")

    package var response: ServerResponse {
        var json = JSONWriter()
        json.object {
            $0.field("message", message)
            $0.field("code", code)
        }
        var response = ServerResponse.uncached(json.bytes, status: status)
        if let retryAfter { response.head.headers.add(retryAfter: retryAfter) }
        if status == 401 { response.head.headers.append("WWW-Authenticate", challenge) }
        if let standing { response.head.headers.add(standing) }
        return response
    }
}

extension ErrorForm {
    /// `{"message":…,"code":…}`
    package static let messageAndCode = ErrorForm { problem in
        switch problem {
        case .notFound: RouteRefusal(404, "NOT_FOUND", "nothing is at this path").response
        case .keyRefused(let message): RouteRefusal.unauthorized(message).response
        case .methodNotAllowed(let allowed):
            RouteRefusal(405, "METHOD_NOT_ALLOWED", "the methods here are \(allowed)").response
        case .notLeading(let message): RouteRefusal(503, "UNAVAILABLE", message).response
        }
    }
}

extension ServerResponse {
    /// Returns the result of `body`, or the refusal for the error that it throws.
    ///
    /// - Parameters:
    ///   - part: the part of the hub that log entries name.
    ///   - refusal: returns the response to an error of that part; nil for other errors.
    package static func answer(
        part: String,
        _ logger: Logger,
        refusal: (any Error) -> ServerResponse?,
        _ body: () async throws -> ServerResponse
    ) async -> ServerResponse {
        do {
            return try await body()
        } catch let error as RouteRefusal {
            return error.response
        } catch is FairReads.Refused {
            return RouteRefusal.tooManyReads.response
        } catch {
            if let response = refusal(error) { return response }
            let isStoreError = error is StoreError
            logger.error(
                isStoreError ? "request not carried out" : "request failed",
                metadata: ["part": "\(part)", "err": "\(error)"],
                source: LogSource.peer
            )
            return (isStoreError ? RouteRefusal.unavailable : .internal).response
        }
    }
}

extension RouteRequest {
    /// Returns the content.
    ///
    /// - Throws: `RouteRefusal` if it is longer than `lengthMax` bytes.
    package func content(upTo lengthMax: Int) throws(RouteRefusal) -> [UInt8] {
        guard body.count <= lengthMax else {
            throw RouteRefusal(
                413,
                "INVALID_REQUEST",
                "the content has more than \(lengthMax) bytes"
            )
        }
        return body
    }
}

extension HTTPHeaders {
    package mutating func add(retryAfter: Duration) {
        append("Retry-After", String(Swift.max(1, Int64(retryAfter.inSeconds.rounded(.up)))))
    }

    package mutating func add(_ standing: RateStanding) {
        replace("X-RateLimit-Limit", with: String(standing.limit))
        replace("X-RateLimit-Remaining", with: String(standing.remaining))
        replace("X-RateLimit-Reset", with: String(standing.reset.wholeSeconds))
    }
}

/// An error answer of a route of `/v2`, in NewsAPI's form:
/// `{"status":"error","code":…,"message":…}`.
package struct NewsAPIError: Error, Equatable, CustomStringConvertible {
    /// NewsAPI's codes, and additional ones that HTTP needs.
    package enum Code: String, CaseIterable, Sendable {
        case apiKeyMissing, apiKeyInvalid, apiKeyDisabled
        case parameterInvalid, parametersMissing, parametersIncompatible
        case sourcesTooMany, sourceDoesNotExist
        case rateLimited, unexpectedError
        // The hub's own.
        case notFound, methodNotAllowed, bodyTooLarge, unavailable

        package var status: Int {
            switch self {
            case .parameterInvalid, .parametersMissing, .parametersIncompatible, .sourcesTooMany,
                .sourceDoesNotExist:
                400
            case .apiKeyMissing, .apiKeyInvalid, .apiKeyDisabled: 401
            case .notFound: 404
            case .methodNotAllowed: 405
            case .bodyTooLarge: 413
            case .rateLimited: 429
            case .unexpectedError: 500
            case .unavailable: 503
            }
        }
    }

    package var code: Code
    package var message: String
    /// For the header `Retry-After`.
    package var retryAfterSeconds: Int?

    package init(_ code: Code, _ message: String, retryAfterSeconds: Int? = nil) {
        self.code = code
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// A parameter that is not as described.
    package init(_ error: RequestError) {
        self.init(.parameterInvalid, "The parameter \(error.description).")
    }

    package var status: Int { code.status }

    package var description: String { "\(code.rawValue): \(message)" }

    package func json() -> [UInt8] {
        newsJSON { json in
            json.field("status", "error")
            json.field("code", code.rawValue)
            json.field("message", message)
        }
    }
}

extension NewsAPIError {
    package static let apiKeyMissing = NewsAPIError(
        .apiKeyMissing,
        "The request has no API key. Send it in X-Api-Key, as a Bearer token, or as apiKey."
    )

    package static let apiKeyInvalid = NewsAPIError(
        .apiKeyInvalid,
        "The API key is not one of this hub."
    )

    /// - Parameter names: the parameters of which one is needed.
    package static func parametersMissing(oneOf names: [String]) -> NewsAPIError {
        NewsAPIError(
            .parametersMissing,
            "The request needs at least one of the parameters \(names.joined(separator: ", "))."
        )
    }

    package static let sourcesWithPlace = NewsAPIError(
        .parametersIncompatible,
        "The parameter sources excludes the parameters country and category."
    )

    package static func sourcesTooMany(_ count: Int, limit: Int) -> NewsAPIError {
        NewsAPIError(.sourcesTooMany, "The request names \(count) sources, over limit \(limit).")
    }

    package static func sourceDoesNotExist(_ name: some StringProtocol) -> NewsAPIError {
        NewsAPIError(
            .sourceDoesNotExist,
            "No source has the id \(RequestError.excerpt(name.utf8))."
        )
    }

    package static func rateLimited(retryAfterSeconds: Int) -> NewsAPIError {
        NewsAPIError(
            .rateLimited,
            "Too many requests. Try again in \(retryAfterSeconds) seconds.",
            retryAfterSeconds: retryAfterSeconds
        )
    }

    package static let unexpectedError = NewsAPIError(
        .unexpectedError,
        "The hub failed to answer the request."
    )

    package static let notFound = NewsAPIError(.notFound, "Nothing is at this path.")

    package static func articleNotFound(url: some StringProtocol) -> NewsAPIError {
        NewsAPIError(.notFound, "No article has the URL \(RequestError.excerpt(url.utf8)).")
    }

    /// - Parameter allowed: the methods of the path, as in `Allow`.
    package static func methodNotAllowed(allowed: String) -> NewsAPIError {
        NewsAPIError(.methodNotAllowed, "The methods of this path are \(allowed).")
    }

    package static func bodyTooLarge(bytesMax: Int) -> NewsAPIError {
        NewsAPIError(.bodyTooLarge, "The body is over limit \(bytesMax) bytes.")
    }

    package static func unavailable(retryAfterSeconds: Int? = nil) -> NewsAPIError {
        NewsAPIError(
            .unavailable,
            "The hub cannot answer at the moment.",
            retryAfterSeconds: retryAfterSeconds
        )
    }
}

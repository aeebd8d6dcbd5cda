/// An error answer of a route of the film app.
package struct ActivityError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        case authenticationRequired = "AUTHENTICATION_REQUIRED"
        case invalidRequest = "INVALID_REQUEST"
        case ratingInvalid = "RATING_INVALID"
        case movieNotFound = "MOVIE_NOT_FOUND"
        case userNotFound = "USER_NOT_FOUND"
        case ratingNotFound = "RATING_NOT_FOUND"
        case reviewNotFound = "REVIEW_NOT_FOUND"
        case friendRequestNotFound = "FRIEND_REQUEST_NOT_FOUND"
        case friendRequestExists = "FRIEND_REQUEST_EXISTS"
        case alreadyFriends = "ALREADY_FRIENDS"
        case notFound = "NOT_FOUND"
        case methodNotAllowed = "METHOD_NOT_ALLOWED"
        case rateLimitExceeded = "RATE_LIMIT_EXCEEDED"
        case unavailable = "UNAVAILABLE"
        case `internal` = "INTERNAL"

        package var status: Int {
            switch self {
            case .invalidRequest, .ratingInvalid: 400
            case .authenticationRequired: 401
            case .movieNotFound, .userNotFound, .ratingNotFound, .reviewNotFound,
                .friendRequestNotFound, .notFound:
                404
            case .methodNotAllowed: 405
            case .friendRequestExists, .alreadyFriends: 409
            case .rateLimitExceeded: 429
            case .internal: 500
            case .unavailable: 503
            }
        }
    }

    /// The details for programs, in addition to the code.
    package enum Details: Sendable, Equatable {
        case none
        /// The reason why a user is not logged in.
        case reason(LoginReason)
        /// Nil for the field if it is the whole body, and for `found` if there is no value.
        case field(String?, expected: String, found: String?)
        /// Whole seconds until it can go well.
        case retryAfter(seconds: Int)
    }

    /// The reason why a request has no user.
    package enum LoginReason: String, Sendable, CaseIterable {
        /// There is no token.
        case missing
        /// It was good.
        case expired
        /// It never was, or is no longer: taken back, used, or of an account that was deleted.
        case invalid
    }

    package var code: Code
    /// Of HTTP.
    package var status: Int
    /// For people who read logs: lower case, and nothing of the hub's inside.
    package var message: String
    package var details: Details

    package init(
        _ code: Code,
        _ message: String,
        status: Int? = nil,
        details: Details = .none
    ) {
        self.code = code
        self.status = status ?? code.status
        self.message = message
        self.details = details
    }

    /// Invalid stars have a code of their own.
    package init(_ error: RequestError) {
        self.init(
            error.field == "rating" ? .ratingInvalid : .invalidRequest,
            error.description,
            details: .field(error.field, expected: error.expected, found: error.found)
        )
    }

    package var description: String { "\(code.rawValue): \(message)" }
}

extension ActivityError {
    package static func authenticationRequired(_ reason: LoginReason) -> ActivityError {
        let message =
            switch reason {
            case .missing: "the request has no token"
            case .expired: "the token has expired"
            case .invalid: "the token is not valid"
            }
        return ActivityError(.authenticationRequired, message, details: .reason(reason))
    }

    /// - Parameter id: as in the path; the same for the ones below.
    package static func movieNotFound(_ id: some CustomStringConvertible) -> ActivityError {
        ActivityError(.movieNotFound, "no movie has the id \(excerpt(id))")
    }

    /// Also for a person who has blocked the requesting user: the existence of the person is
    /// private.
    package static func userNotFound(_ id: some CustomStringConvertible) -> ActivityError {
        ActivityError(.userNotFound, "no user has the id \(excerpt(id))")
    }

    package static func ratingNotFound(movieID: Int) -> ActivityError {
        ActivityError(.ratingNotFound, "the user has not rated movie \(movieID)")
    }

    package static func reviewNotFound(_ id: some CustomStringConvertible) -> ActivityError {
        ActivityError(.reviewNotFound, "the movie has no review with the id \(excerpt(id))")
    }

    package static func friendRequestNotFound(
        _ id: some CustomStringConvertible,
        of direction: RequestDirection = .incoming
    ) -> ActivityError {
        let preposition = direction == .incoming ? "to" : "of"
        return ActivityError(
            .friendRequestNotFound,
            "no friend request \(preposition) the user has the id \(excerpt(id))"
        )
    }

    package static func friendRequestExists(userID: Int) -> ActivityError {
        ActivityError(.friendRequestExists, "user \(userID) has been asked already")
    }

    package static func alreadyFriends(userID: Int) -> ActivityError {
        ActivityError(.alreadyFriends, "user \(userID) is a friend already")
    }

    /// The error for friend requests to, and blocks of, oneself.
    package static func aboutOneself(field: String?) -> ActivityError {
        ActivityError(
            .invalidRequest,
            "the user is the one who asks",
            details: .field(field, expected: "another user's number", found: "the user's own")
        )
    }

    /// No section of a user's data begins there.
    package static func otherUserDataPlace(_ text: String) -> ActivityError {
        ActivityError(
            .invalidRequest,
            "no part of a user's data begins there",
            details: .field(
                "after",
                expected: "the next of an earlier answer",
                found: #""\#(excerpt(text))""#
            )
        )
    }

    package static func bodyTooLong(bytesMax: Int) -> ActivityError {
        let contentTooLarge = 413
        return ActivityError(
            .invalidRequest,
            "body is over limit \(bytesMax)",
            status: contentTooLarge,
            details: .field(nil, expected: "at most \(bytesMax) bytes", found: nil)
        )
    }

    package static func rateLimitExceeded(retryAfterSeconds: Int) -> ActivityError {
        ActivityError(
            .rateLimitExceeded,
            "too many requests",
            details: .retryAfter(seconds: retryAfterSeconds)
        )
    }

    /// There is no such path.
    package static let nothingHere = ActivityError(.notFound, "nothing is at this path")

    /// - Parameter allowed: the methods that the path has.
    package static func methodNotAllowed(allowed: String) -> ActivityError {
        ActivityError(.methodNotAllowed, "the methods here are \(allowed)")
    }

    package static let unavailable = ActivityError(.unavailable, "try again later")
    package static let `internal` = ActivityError(.internal, "internal error")

    private static func excerpt(_ id: some CustomStringConvertible) -> String {
        RequestError.excerpt(id.description.utf8)
    }
}

extension ActivityError {
    package func json() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.object("error") { json in
                json.field("code", code.rawValue)
                json.field("message", message)
                json.object("details") { details.write(to: &$0) }
            }
        }
        return json.bytes
    }
}

extension ActivityError.Details {
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .none: break
        case .reason(let reason): json.field("reason", reason.rawValue)
        case .field(let field, let expected, let found):
            json.field("field", field)
            json.field("expected", expected)
            json.field("found", found)
        case .retryAfter(let seconds): json.field("retry_after", seconds)
        }
    }
}

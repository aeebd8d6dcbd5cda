import Wire

/// The reason for an error answer of `/auth`.
package enum AccountError: Error, Equatable {
    /// The body is not a valid request.
    case request(RequestError)
    /// The body is longer than any request.
    case bodyTooLong(bytesMax: Int)
    /// The provider is not configured.
    case unknownProvider(String)
    /// The name of the development provider's user has too many characters.
    case nameTooLong(Int)
    /// The identity token is not valid.
    case token(TokenError)
    case refresh(RefreshRefusal)
    case rateLimited(retryAfterSeconds: Int)
    /// The store or the provider's keys are temporarily unavailable.
    case unavailable
    case `internal`
}

/// The form of error answers of `/auth`: each app decodes its own form.
package struct AccountForm: Sendable {
    /// Answers about paths and methods below `/auth`.
    package let paths: ErrorForm
    /// The answer to a request that failed.
    package let response: @Sendable (AccountError) -> ServerResponse

    package init(
        paths: ErrorForm,
        response: @escaping @Sendable (AccountError) -> ServerResponse
    ) {
        self.paths = paths
        self.response = response
    }

    /// `{"message":…,"code":…}`: protocol/accounts.md.
    package static let messageAndCode = AccountForm(paths: .messageAndCode) {
        refusal(of: $0).response
    }

    private static func refusal(of error: AccountError) -> RouteRefusal {
        switch error {
        case .request(let error): invalid(error.description)
        case .bodyTooLong(let bytesMax):
            RouteRefusal(413, "INVALID_REQUEST", "the content has more than \(bytesMax) bytes")
        case .unknownProvider(let name):
            invalid("provider is \(RequestError.excerpt(name.utf8)), which is not configured")
        case .nameTooLong(let length):
            invalid("token has \(length) characters, over limit \(LoginLimits.nameLengthMax)")
        case .token(let error):
            error == .expired ? expired : .unauthorized("\(error)")
        case .refresh(.expired): expired
        // An attacker must not learn which of the two it is.
        case .refresh(.unknown), .refresh(.reused): .unauthorized("the token is not valid")
        case .rateLimited(let seconds):
            RouteRefusal(429, "RATE_LIMITED", "too many requests", retryAfter: .seconds(seconds))
        case .unavailable: .unavailable
        case .internal: .internal
        }
    }

    private static func invalid(_ message: String) -> RouteRefusal {
        RouteRefusal(400, "INVALID_REQUEST", message)
    }

    private static let expired = RouteRefusal(401, "TOKEN_EXPIRED", "the token has expired")
}

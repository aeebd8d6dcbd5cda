import Activity
import DomainKit

extension ActivityError {
    /// Why a token, of the hub or of a provider, does not identify a user.
    package init(_ error: TokenError) {
        self.init(
            .authenticationRequired,
            "\(error)",
            details: .reason(error == .expired ? .expired : .invalid)
        )
    }

    /// An error of `/auth` in the film app's form.
    package init(_ error: AccountError) {
        switch error {
        case .request(let error): self.init(error)
        case .bodyTooLong(let bytesMax): self = .bodyTooLong(bytesMax: bytesMax)
        case .unknownProvider(let name): self = .unknownProvider(name)
        case .nameTooLong(let length): self = .tooLongName(length)
        case .token(let error): self.init(error)
        case .refresh(.expired): self = .authenticationRequired(.expired)
        // A thief must not learn which of the two it is.
        case .refresh(.unknown), .refresh(.reused): self = .authenticationRequired(.invalid)
        case .rateLimited(let seconds): self = .rateLimitExceeded(retryAfterSeconds: seconds)
        case .unavailable: self = .unavailable
        case .internal: self = .internal
        }
    }

    private static func tooLongName(_ length: Int) -> ActivityError {
        ActivityError(
            .invalidRequest,
            "the name has \(length) characters, over limit \(LoginLimits.nameLengthMax)",
            details: .field(
                "token",
                expected: "at most \(LoginLimits.nameLengthMax) characters",
                found: "\(length) characters"
            )
        )
    }

    private static func unknownProvider(_ name: String) -> ActivityError {
        ActivityError(
            .invalidRequest,
            "logins with this provider are not configured",
            details: .field("provider", expected: "a provider that is configured", found: name)
        )
    }
}

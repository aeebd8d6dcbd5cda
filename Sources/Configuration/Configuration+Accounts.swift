extension Configuration {
    /// Logins, and the tokens that the hub issues for them.
    package struct Accounts: Equatable, Sendable {
        package var apple = Apple()
        package var accessTokenLifetime = Duration.seconds(24 * 3600)
        /// The accepted values.
        package static let accessTokenLifetimes: ClosedRange<Duration> =
            .seconds(60) ... .seconds(30 * 86_400)
        /// The time from one refresh to the next.
        package var refreshTokenLifetime = Duration.seconds(60 * 86_400)

        package init() {}
    }
}

extension Configuration.Accounts {
    /// Sign in with Apple.
    package struct Apple: Equatable, Sendable {
        /// The apps whose users may log in; with none, logins with Apple are off.
        package var clientIDs: [String] = []
        package var issuer = "https://appleid.apple.com"
        /// Nil for Apple's own URL.
        package var keysURL: String?
        /// A file used instead of `keysURL`, for a hub without Internet access.
        package var keysFile: String?

        package init() {}
    }
}

extension Configuration.Accounts.Apple {
    package static let keysURLDefault = "https://appleid.apple.com/auth/keys"

    /// The URL from which keys are fetched; nil if a file has the keys, or if logins with Apple are
    /// off.
    package var effectiveKeysURL: String? {
        guard keysFile == nil, !clientIDs.isEmpty else { return nil }
        return keysURL ?? Self.keysURLDefault
    }
}

import Tokens

extension Configuration {
    /// The film app.
    package struct Activity: Equatable, Sendable {
        package var apple = Apple()
        package var accessTokenLifetime = Duration.seconds(24 * 3600)
        /// What may be configured.
        package static let accessTokenLifetimes: ClosedRange<Duration> =
            .seconds(60) ... .seconds(30 * 86_400)
        /// From one refresh to the next.
        package var refreshTokenLifetime = Duration.seconds(60 * 86_400)
        /// Of one user.
        package var requestsPerMinute = 600
        /// Of those the ones that change something.
        package var writesPerMinute = 120
        /// Friends that are told of an act in its own transaction.
        package var fanoutInAct = 500
        /// From one computation of tastes and scores to the next.
        package var recomputeInterval = Duration.seconds(600)
        /// Kept for each user.
        package var recommendations = 200
        /// Of one user.
        package var friendsMax = 100_000
        /// Films to load at the start, in the hub's own form; nil for none.
        package var catalogue: String?

        package init() {}
    }
}

extension Configuration.Activity {
    /// Sign in with Apple.
    package struct Apple: Equatable, Sendable {
        /// Of the apps whose users may log in; without any, nobody does with Apple.
        package var clientIDs: [String] = []
        package var issuer = "https://appleid.apple.com"
        /// Nil for Apple's own.
        package var keysURL: String?
        /// Instead of `keysURL`, for a hub without a way out.
        package var keysFile: String?

        package init() {}
    }
}

// MARK: - What the values come to

extension Configuration.Activity.Apple {
    package static let keysURLDefault = "https://appleid.apple.com/auth/keys"

    /// Where the keys are fetched; nil when they stand in a file, and when nobody is to log in.
    package var effectiveKeysURL: String? {
        guard keysFile == nil, !clientIDs.isEmpty else { return nil }
        return keysURL ?? Self.keysURLDefault
    }
}

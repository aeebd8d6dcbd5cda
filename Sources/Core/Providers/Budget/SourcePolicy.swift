/// The limits on requests to a source. The values come from the configuration, which is checked
/// before.
package struct SourcePolicy: Sendable, Equatable {
    /// Requests that are under way at a time.
    package let concurrencyMax: Int
    /// Tokens of one UTC day; 0 for no limit.
    package let dailyTokensMax: Int
    /// Requests of one UTC day, each attempt counted; 0 for no limit.
    package let dailyRequestsMax: Int
    /// Attempts at one question.
    package let attemptsMax: Int
    /// The share of a day's tokens and requests that one user may take: see `UserShares`.
    package let userSharePercent: Int

    package init(
        concurrencyMax: Int = 2,
        dailyTokensMax: Int = 0,
        dailyRequestsMax: Int = 0,
        attemptsMax: Int = 3,
        userSharePercent: Int = 100
    ) {
        precondition((1...100).contains(userSharePercent))
        precondition(concurrencyMax > 0)
        precondition(dailyTokensMax >= 0)
        precondition(dailyRequestsMax >= 0)
        precondition(attemptsMax > 0)
        self.concurrencyMax = concurrencyMax
        self.dailyTokensMax = dailyTokensMax
        self.dailyRequestsMax = dailyRequestsMax
        self.attemptsMax = attemptsMax
        self.userSharePercent = userSharePercent
    }
}

/// The cost of a source on one day, including reservations for requests under way.
package struct DaySpending: Sendable, Equatable {
    /// Days since 1970-01-01, UTC.
    package var day: Int
    package var requests: Int
    package var tokens: Int

    package init(day: Int, requests: Int = 0, tokens: Int = 0) {
        self.day = day
        self.requests = requests
        self.tokens = tokens
    }
}

/// A change of a source's cost on a day, and the user whose share it counts in.
///
/// Several requests are under way at a time, so changes are differences, which add up in any order.
package struct SpendingChange: Sendable, Equatable {
    /// Days since 1970-01-01, UTC.
    package var day: Int
    package var requests: Int
    package var tokens: Int
    /// The user's account in `UserShares`; nil if it counts for no share.
    package var user: [UInt8]?

    package init(day: Int, requests: Int = 0, tokens: Int = 0, user: [UInt8]? = nil) {
        self.day = day
        self.requests = requests
        self.tokens = tokens
        self.user = user
    }
}

/// The amount reserved for one request, to be returned to `SourceMachine.finish`.
package struct Reservation: Sendable, Equatable {
    /// The day that pays for it.
    package let day: Int
    package let tokens: Int
    /// The account in `UserShares` that pays; nil for none.
    package let user: [UInt8]?

    package init(day: Int, tokens: Int, user: [UInt8]? = nil) {
        self.day = day
        self.tokens = tokens
        self.user = user
    }
}

/// Whether a request may be sent.
package enum Admission: Sendable, Equatable {
    /// Yes, once `spent` is stored: it includes the reservation, so that a hub that is killed has
    /// paid for any request that it may have sent.
    case go(Reservation, spent: DaySpending)
    /// Not before then.
    case later(Timestamp, reason: String)
    /// Not before then for this user, whose share of the day is used up; others may.
    case overShare(until: Timestamp)
    /// Not until an operator acts.
    case never(reason: String)
}

/// The result of a request.
package enum AttemptResult: Sendable, Equatable {
    /// The provider answered, with a usable value or without; the usage is nil if it reported none.
    case answered(TokenUsage?)
    case failed(ProviderFailure)
    /// No response, or not a whole one.
    case unreachable
    /// The hub did not send it after all, as its spending could not be stored.
    case notSent
}

/// The amounts that users have taken of one source's budget of a day, and whether they may take
/// more.
///
/// **The rule.** With a share of P percent, all requests that one user causes in a day (UTC) come
/// to at most P percent of the source's `dailyTokensMax` and of its `dailyRequestsMax`,
/// reservations of requests under way among them. So at least 100 − P percent of every budget is
/// left to all others, whatever one user does. A first request of the day is admitted even if it
/// exceeds the share by itself; otherwise no user could use a small budget.
///
/// A request belongs to the user for whom it is sent. An answer from a cache costs nothing.
///
/// **Limits.** A user with a request on that day has an account, up to `usersMax`. Users beyond them
/// share one account, so the rule holds for all of them together. Without a share, or without a
/// limit of the day, nothing is counted.
package struct UserShares: Sendable {
    package struct Taken: Sendable, Equatable {
        package var requests: Int
        package var tokens: Int

        package init(requests: Int = 0, tokens: Int = 0) {
            self.requests = requests
            self.tokens = tokens
        }
    }

    /// An account takes about 100 bytes.
    package static let usersMax = 100_000
    /// The account of the users beyond `usersMax`.
    package static let rest: [UInt8] = []

    /// Nil for no limit.
    package let requestsMax: Int?
    package let tokensMax: Int?
    /// By the bytes of users: texts of other bytes can be equal.
    private var taken: [[UInt8]: Taken]

    /// - Parameter taken: as it was stored for the day.
    package init(_ policy: SourcePolicy, taken: [[UInt8]: Taken] = [:]) {
        func share(of budget: Int) -> Int? {
            // Divided first: the product could be too large.
            budget == 0 || policy.userSharePercent == 100
                ? nil
                : budget / 100 * policy.userSharePercent
                    + budget % 100 * policy.userSharePercent / 100
        }
        requestsMax = share(of: policy.dailyRequestsMax)
        tokensMax = share(of: policy.dailyTokensMax)
        self.taken = taken
    }

    /// The account that pays for a user's request; nil where nothing is counted.
    package func account(of user: [UInt8]) -> [UInt8]? {
        guard requestsMax != nil || tokensMax != nil else { return nil }
        return taken[user] != nil || taken.count < UserShares.usersMax ? user : UserShares.rest
    }

    /// Whether an account may pay for a request that costs `tokens` at most.
    package func hasRoom(for account: [UInt8], tokens: Int) -> Bool {
        guard let taken = taken[account], taken.requests > 0 else { return true }
        if let requestsMax, taken.requests >= requestsMax { return false }
        if let tokensMax, tokens > tokensMax - taken.tokens { return false }
        return true
    }

    package subscript(account: [UInt8]) -> Taken { taken[account] ?? Taken() }

    mutating func add(requests: Int, tokens: Int, for account: [UInt8]) {
        taken[account, default: Taken()].requests += requests
        taken[account, default: Taken()].tokens += tokens
    }

    /// Begins another day.
    mutating func beginDay() { taken.removeAll() }
}

/// What each user has taken of one source's budget of a day, and whether there is more for them.
///
/// **The rule.** With a share of P percent, all requests that one user causes in a day (UTC) come
/// to at most P percent of the source's `dailyTokensMax` and of its `dailyRequestsMax`,
/// reservations of requests under way among them. So at least 100 − P percent of every budget is
/// left to all others, whatever one user does. A first request of the day is let go even where it
/// alone is more than the share, or a small budget would be for nobody.
///
/// A request belongs to the user for whom it is sent. An answer that is taken from a cache costs
/// nobody anything.
///
/// Memory: an entry for each user with a request on that day, so never more than
/// `dailyRequestsMax`; without any limit of the day nothing is counted.
package struct UserShares: Sendable {
    package struct Taken: Sendable, Equatable {
        package var requests = 0
        package var tokens = 0
    }

    private let requestsMax: Int?
    private let tokensMax: Int?
    /// By the bytes of users: texts of other bytes can be equal.
    private var taken: [[UInt8]: Taken] = [:]

    package init(_ policy: SourcePolicy) {
        func share(of budget: Int) -> Int? {
            // Divided first: the product could be too large.
            budget == 0 || policy.userSharePercent == 100
                ? nil
                : budget / 100 * policy.userSharePercent
                    + budget % 100 * policy.userSharePercent / 100
        }
        requestsMax = share(of: policy.dailyRequestsMax)
        tokensMax = share(of: policy.dailyTokensMax)
    }

    /// Whether a user may cause a request that costs `tokens` at most.
    package func hasRoom(for user: [UInt8], tokens: Int) -> Bool {
        guard let taken = taken[user], taken.requests > 0 else { return true }
        if let requestsMax, taken.requests >= requestsMax { return false }
        if let tokensMax, tokens > tokensMax - taken.tokens { return false }
        return true
    }

    package subscript(user: [UInt8]) -> Taken { taken[user] ?? Taken() }

    mutating func add(requests: Int, tokens: Int, for user: [UInt8]) {
        guard requestsMax != nil || tokensMax != nil else { return }
        taken[user, default: Taken()].requests += requests
        taken[user, default: Taken()].tokens += tokens
    }

    /// Another day.
    mutating func beginDay() { taken.removeAll() }
}

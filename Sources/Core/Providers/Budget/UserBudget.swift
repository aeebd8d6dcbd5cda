/// The rest of a source's day for one user.
package struct UserBudget: Sendable, Equatable {
    /// Requests or tokens.
    package struct Part: Sendable, Equatable {
        /// The maximum for the user in a day.
        package let share: Int
        /// Reservations of requests under way among them.
        package let taken: Int
        /// The amount that the user may still take: of the share, and of the amount that others
        /// have left.
        package let left: Int
        /// The same without the share.
        let leftOfAll: Int

        /// - Parameters:
        ///   - daily: 0 for no limit; the result is nil then.
        ///   - spent: by all users.
        ///   - share: nil for the whole day.
        init?(daily: Int, spent: Int, share: Int?, taken: Int) {
            guard daily > 0 else { return nil }
            self.share = share ?? daily
            self.taken = taken
            leftOfAll = max(0, daily - spent)
            left = max(0, min(self.share - taken, leftOfAll))
        }
    }

    /// Nil for no limit.
    package let requests: Part?
    package let tokens: Part?
    /// Questions that can certainly be sent; nil for no limit. One question can need several requests.
    package let questionsLeft: Int?
    /// When the next day begins.
    package let resetsAt: Timestamp

    /// - Parameters:
    ///   - requestTokens: the most that a request may cost.
    ///   - isUntouched: whether the user has sent none: then the first one may exceed the share.
    init(requests: Part?, tokens: Part?, requestTokens: Int, isUntouched: Bool, resetsAt: Timestamp)
    {
        self.requests = requests
        self.tokens = tokens
        self.resetsAt = resetsAt
        func count(_ left: KeyPath<Part, Int>) -> Int? {
            let byTokens =
                requestTokens > 0 ? tokens.map { $0[keyPath: left] / requestTokens } : nil
            return [requests?[keyPath: left], byTokens].compactMap { $0 }.min()
        }
        let ofShare = count(\.left)
        questionsLeft =
            ofShare == 0 && isUntouched ? min(1, count(\.leftOfAll) ?? 1) : ofShare
    }
}

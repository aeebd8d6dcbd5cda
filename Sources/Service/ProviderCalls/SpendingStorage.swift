/// The storage of a domain for the spending of its sources, with each user's share.
package protocol SpendingStorage: Sendable {
    /// Returns the spending of a source on a day (UTC, since 1970-01-01), including reservations.
    /// Zeros if nothing is stored.
    func spending(of source: String, day: Int) async throws -> DaySpending

    /// Returns the shares that users have taken of a source's day, by account. At most
    /// `UserShares.usersMax` accounts and the common one are stored.
    func shares(of source: String, day: Int) async throws -> [[UInt8]: UserShares.Taken]

    /// Adds a change to the spending of a source and to the share of its user, in one transaction.
    /// Returns when the sums are durable.
    func add(_ change: SpendingChange, of source: String) async throws
}

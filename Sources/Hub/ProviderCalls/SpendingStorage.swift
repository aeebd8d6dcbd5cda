import Providers

/// Where a domain stores the spending of its sources, and the part of each user in it.
package protocol SpendingStorage: Sendable {
    /// Returns what a source has cost on a day (UTC, since 1970-01-01), reservations included.
    /// Zeros if nothing is stored.
    func spending(of source: String, day: Int) async throws -> DaySpending

    /// Returns what users have taken of a source's day, by account. At most
    /// `UserShares.usersMax` and the common account are stored.
    func shares(of source: String, day: Int) async throws -> [[UInt8]: UserShares.Taken]

    /// Adds a change to what a source has cost, and to what its user has taken, in one transaction.
    /// Returns when the sums are durable.
    func add(_ change: SpendingChange, of source: String) async throws
}

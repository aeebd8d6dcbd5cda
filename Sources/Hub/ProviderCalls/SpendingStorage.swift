import Providers

/// Where a domain stores the spending of its sources.
///
/// Several requests are under way at a time. So changes are differences, which add up in any order.
package protocol SpendingStorage: Sendable {
    /// Returns what a source has cost on a day (UTC, since 1970-01-01), reservations included.
    /// Zeros if nothing is stored.
    func spending(of source: String, day: Int) async throws -> DaySpending

    /// Adds a difference to what a source has cost on a day. Returns when the sum is durable.
    func add(_ difference: DaySpending, of source: String) async throws
}

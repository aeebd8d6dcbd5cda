import Activity
import Timekeeping
import Tokens

/// What logging in needs of the store. Each call is one transaction.
package protocol LoginStorage: Sendable {
    /// The person whom the provider knows by this subject; made when there is none yet.
    ///
    /// - Parameter newcomer: what becomes of somebody who comes for the first time. One who is known
    ///   keeps name and address.
    func person(for identity: ProvidedIdentity, newcomer: Newcomer) async throws -> Person

    /// Nil for an account that was deleted, with which its refresh records go.
    func person(_ user: String) async throws -> Person?

    /// Keeps the first record of a family. Of the person's families, the ones that expire last stay, as
    /// many as `familiesMax`.
    ///
    /// - Parameter time: at which the others end.
    /// - Returns: the others.
    func insert(_ record: RefreshRecord, familiesMax: Int, at time: Timestamp) async throws
        -> [String]

    /// Hands over all records of the family that has one of this hash, none when there is none, and
    /// carries out what comes back.
    ///
    /// - Parameters:
    ///   - time: at which a family ends that is revoked.
    ///   - decide: may be asked twice when the transaction is; the last answer counts.
    func refresh(
        _ hash: [UInt8],
        at time: Timestamp,
        _ decide: @escaping @Sendable ([RefreshRecord]) -> RefreshDecision
    ) async throws -> RefreshDecision

    /// Ends the family that has a record of this hash.
    ///
    /// - Returns: that record; nil when there is none.
    func removeFamily(of hash: [UInt8], at time: Timestamp) async throws -> RefreshRecord?

    /// Deletes the records that expired before; for every now and then.
    func trimRefreshRecords(expiredBefore time: Timestamp) async throws

    /// Forgets the families that were ended before; for every now and then.
    func trimEndedFamilies(endedBefore time: Timestamp) async throws
}

/// What is written of somebody who logs in for the first time.
package struct Newcomer: Sendable, Equatable {
    package var name: String
    package var email: String?
    package var at: Timestamp
}

import Activity
import Timekeeping
import Tokens

/// What logging in needs of the store. Each call is one transaction.
protocol LoginStorage: Sendable {
    /// The person whom the provider knows by this subject; made when there is none yet.
    ///
    /// - Parameter newcomer: what becomes of somebody who comes for the first time. One who is known
    ///   keeps name and address.
    func person(for identity: ProvidedIdentity, newcomer: Newcomer) async throws -> Person

    /// Nil for an account that was deleted, with which its refresh records go.
    func person(_ id: Int) async throws -> Person?

    /// Keeps the first record of a family. Of the person's families, the ones that expire last stay, as
    /// many as `familiesMax`.
    func insert(_ record: RefreshRecord, familiesMax: Int) async throws

    /// Hands over all records of the family that has one of this hash, none when there is none, and
    /// carries out what comes back.
    ///
    /// - Parameter decide: may be asked twice when the transaction is; the last answer counts.
    func refresh(
        _ hash: [UInt8],
        _ decide: @escaping @Sendable ([RefreshRecord]) -> RefreshDecision
    ) async throws -> RefreshDecision

    /// Deletes the family that has a record of this hash, if there is one.
    func removeFamily(of hash: [UInt8]) async throws

    /// Deletes the records that expired before; for every now and then.
    func trimRefreshRecords(expiredBefore time: Timestamp) async throws
}

/// What is written of somebody who logs in for the first time.
struct Newcomer: Sendable, Equatable {
    var name: String
    var email: String?
    var at: Timestamp
}

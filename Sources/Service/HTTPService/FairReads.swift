import Foundation

/// Reads of the store that may take long, such as a search, a list, or a page of recommendations. A
/// few run at a time, and users take turns.
///
/// There are fewer concurrent reads than cores and than readers of the store, so that the rest of
/// the hub continues to run. A turn is charged with the time that the read took: users with
/// expensive requests wait for them, and other users do not wait behind their backlog. Reads are
/// refused only to a user whose queue is full.
package struct FairReads: Sendable {
    /// The maximum number of waiting reads of one user. An app sends a handful at once when it
    /// starts.
    package static let lineMax = 16
    /// The maximum number of waiting reads of all users. Each holds a request, not its response.
    package static let waitingMax = 4096
    /// The store reads two snapshots at once; see `HubStore`.
    private static let atOnceMax = 2

    /// The user's queue is full.
    package struct Refused: Error, Equatable {
        /// With turns of some tens of milliseconds, a queue is empty after this time.
        package static let retryAfter = Duration.seconds(1)
    }

    private let places: FairPlaces<[UInt8]>

    /// - Parameter atOnce: the number of concurrent reads.
    package init(
        atOnce: Int = FairReads.atOnceHere
    ) {
        places = FairPlaces(atOnce, lineMax: FairReads.lineMax, waitingMax: FairReads.waitingMax)
    }

    /// The number of concurrent reads on this machine.
    package static var atOnceHere: Int {
        atOnce(cores: ProcessInfo.processInfo.activeProcessorCount)
    }

    package static func atOnce(cores: Int) -> Int { max(1, min(cores - 1, atOnceMax)) }

    /// The number of waiting reads of all users.
    package var waitingCount: Int { get async { await places.waitingCount } }

    /// Runs a read when it is the user's turn.
    ///
    /// - Parameter user: the bytes of the user's name, or of another identifier of the client.
    /// - Throws: `Refused`, and the errors of `body`.
    package func run<Value: Sendable>(
        for user: [UInt8],
        _ body: () async throws -> Value
    ) async throws -> Value {
        guard await places.enter(user) else { throw Refused() }
        let start = ContinuousClock.now
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        // One unit is already charged for the turn: a read that takes no time is about as much work
        // as one of a millisecond.
        let milliseconds = (ContinuousClock.now - start).inSeconds * 1000
        await places.leave(charging: user, milliseconds)
        return try result.get()
    }
}

import Bounds
import Foundation
import Tasks
import Timekeeping

/// Reads of the store that may take long, a search, a list, a page of recommendations: a few at a time, and users
/// in turns.
///
/// Fewer run than there are cores and than the store has readers for, so that the rest of the hub goes on. A turn is
/// charged with the time that the read took: whoever asks for costly things waits for them, and others do not wait
/// behind the backlog of one user. A user whose line is full is refused, and nobody else.
package struct FairReads: Sendable {
    /// Reads of one user that may wait. An app asks for a handful at once when it starts.
    package static let lineMax = 16
    /// Reads of all users that may wait. Each holds a request, not its answer.
    package static let waitingMax = 4096
    /// The store reads two snapshots at once; see `HubStore`.
    private static let atOnceMax = 2

    /// The user's line is full.
    package struct Refused: Error, Equatable {
        /// In turns of some tens of milliseconds a line is gone by then.
        package static let retryAfter = Duration.seconds(1)
    }

    private let places: FairPlaces<[UInt8]>

    /// - Parameter atOnce: reads that run at the same time.
    package init(
        atOnce: Int = FairReads.atOnceHere
    ) {
        places = FairPlaces(atOnce, lineMax: FairReads.lineMax, waitingMax: FairReads.waitingMax)
    }

    /// On this machine.
    package static var atOnceHere: Int {
        atOnce(cores: ProcessInfo.processInfo.activeProcessorCount)
    }

    package static func atOnce(cores: Int) -> Int { max(1, min(cores - 1, atOnceMax)) }

    /// Those that wait, of all users.
    package var waitingCount: Int { get async { await places.waitingCount } }

    /// Runs a read when it is the user's turn.
    ///
    /// - Parameter user: the bytes of a user, or of whatever the request is known by.
    /// - Throws: `Refused`, and what `body` throws.
    package func run<Value: Sendable>(
        for user: [UInt8],
        _ body: () async throws -> Value
    ) async throws -> Value {
        guard await places.enter(user) else { throw Refused() }
        let start = ContinuousClock.now
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        // One for the turn is charged already: a read of no time is about as much work as a millisecond.
        let milliseconds = (ContinuousClock.now - start).inSeconds * 1000
        await places.leave(charging: user, milliseconds)
        return try result.get()
    }
}

import Foundation
import Store
import StoreTesting
import Tasks
import Timekeeping

/// Runs `body` with a store in a directory of its own, and removes both afterwards.
///
/// - Parameter migrations: of the domains whose tables are used.
package func withTemporaryStore<Result>(
    migrations: [Migration] = [],
    _ body: (HubStore) async throws -> Result
) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory
        .appending(path: "varde-hub-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let store = try HubStore(
        StoreOptions(
            path: TestEngine.location(directory),
            synchronous: .normal,
            migrations: migrations
        ),
        wall: HubClock.wall,
        newEpoch: "epoch-1"
    )
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await body(store)) } catch { outcome = .failure(error) }
    try await store.close()
    return try outcome.get()
}

import Foundation
import Store
import StoreTesting

/// Runs `body` with a store in a directory of its own, and removes both afterwards.
///
/// - Parameters:
///   - migrations: of the domains whose tables are used.
///   - commits: nil if they do not fail.
package func withTemporaryStore<Result>(
    migrations: [Migration] = [],
    commits: FailingCommits? = nil,
    _ body: (HubStore) async throws -> Result
) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory
        .appending(path: "varde-hub-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var options = StoreOptions(
        path: TestEngine.location(directory),
        synchronous: .normal,
        migrations: migrations
    )
    if let commits { options.end(with: commits) }
    let store = try HubStore(options, wall: HubClock.wall, newEpoch: "epoch-1")
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await body(store)) } catch { outcome = .failure(error) }
    try await store.close()
    return try outcome.get()
}

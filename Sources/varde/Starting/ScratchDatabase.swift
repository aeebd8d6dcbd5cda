import CommandKit
import Foundation

/// A database in memory: a file in its own directory below /dev/shm, which is removed at the end.
///
/// The store's readers cannot read SQLite's own in-memory databases during a write. If /dev/shm
/// does not exist, the directory is in the temporary directory.
struct ScratchDatabase {
    private static let prefix = "varde-dev-"

    private let directory: String
    var path: String { directory + "/varde.sqlite" }

    /// Creates the directory, and removes those left by killed processes of the same user.
    init() throws {
        let shared = "/dev/shm"
        let isShared = FileManager.default.isWritableFile(atPath: shared)
        let parent = isShared ? shared : FileManager.default.temporaryDirectory.path
        Self.removeLeftovers(in: parent) { kill($0, 0) == 0 || errno == EPERM }
        directory = "\(parent)/\(Self.prefix)\(getpid())"
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw Failure("cannot make the directory \(directory): \(error.reason)")
        }
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: directory)
    }

    static func removeLeftovers(in parent: String, isRunning: (pid_t) -> Bool) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            guard let process = pid_t(name.dropFirst(prefix.count)), !isRunning(process) else {
                continue
            }
            try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
        }
    }
}

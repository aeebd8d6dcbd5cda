import CommandKit
import Foundation

/// A database in memory: a file in a directory of its own below /dev/shm, which is removed at the end.
///
/// SQLite's own databases in memory cannot be read by the store's readers while it writes. Where there is no
/// /dev/shm, the directory is in the temporary directory.
struct ScratchDatabase {
    private static let prefix = "varde-dev-"

    private let directory: String
    var path: String { directory + "/varde.sqlite" }

    /// Also removes what killed processes of the same user have left.
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
            throw Failure("cannot make the directory \(directory): \(error.localizedDescription)")
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

import Glibc
import Locking

/// The claim of one process on a store's file, held until `release` or the end of the process.
///
/// The writer counts offsets in memory and subscribers hear only of its own commits, so a second hub on the
/// same file would give out the same offsets twice. SQLite's own locks last for a transaction only. The
/// claim is an advisory lock on a file beside the database, not on the database: closing any descriptor
/// of that one would drop SQLite's locks on it (POSIX).
final class StoreFile: Sendable {
    /// Absolute, without symbolic links: two names of one file lead to one lock.
    let path: String
    private let descriptor: Locked<Int32?>

    init(path: String) throws {
        self.path = try Self.resolved(path)
        let lockPath = self.path + "-lock"
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let code: StoreError.Code = errno == EACCES || errno == EROFS ? .readOnly : .cannotOpen
            throw StoreError(code, "cannot create \(lockPath): \(errorText())", path: self.path)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno == EWOULDBLOCK ? "another hub runs on it" : errorText()
            Glibc.close(descriptor)
            throw StoreError(.locked, "database is in use: \(reason)", path: self.path)
        }
        self.descriptor = Locked(descriptor)
        makePrivate()
    }

    deinit {
        release()
    }

    /// Makes a file that is not there yet, for its owner alone: secrets of webhooks stand in it. SQLite gives
    /// the log beside it the same mode. What is there already keeps its mode.
    private func makePrivate() {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // Where it cannot be made, SQLite says why. SQLite has not opened it yet, so closing drops no lock.
        if file >= 0 { Glibc.close(file) }
    }

    /// Gives the file free for another hub. The lock file stays: deleting it would race with the next claim.
    ///
    /// Unlocked and not only closed: a process that is being forked holds the descriptor, and with it the
    /// lock, until it executes another program.
    func release() {
        guard let descriptor = descriptor.withLock({ $0.take() }) else { return }
        flock(descriptor, LOCK_UN)
        Glibc.close(descriptor)
    }

    /// The length of a file in bytes; 0 when there is none.
    static func length(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private static func resolved(_ path: String) throws -> String {
        guard !path.isEmpty else {
            throw StoreError(.cannotOpen, "database path is empty", path: path)
        }
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw StoreError(.cannotOpen, "database path is not a file", path: path)
            }
            guard faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0 else {
                throw StoreError(
                    .readOnly,
                    "database may not be read and written: \(errorText())",
                    path: path
                )
            }
            return try realPath(path)
        }
        let (directory, name) = split(path)
        guard stat(directory, &status) == 0 else {
            throw StoreError(
                .cannotOpen,
                "no directory \(directory) for the database: \(errorText())",
                path: path
            )
        }
        return try realPath(directory) + "/" + name
    }

    private static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let directory = path[..<slash]
        return (
            directory.isEmpty ? "/" : String(directory), String(path[path.index(after: slash)...])
        )
    }

    private static func realPath(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else {
            throw StoreError(.cannotOpen, "cannot resolve the path: \(errorText())", path: path)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// The text of the calling thread's `errno`.
private func errorText() -> String {
    String(cString: strerror(errno))
}

import Glibc

/// The claim of one process on a store's file, held until `release` or the end of the process.
///
/// The writer counts offsets in memory and subscribers receive only its own commits, so a second
/// hub on the same file would assign the same offsets again. SQLite's own locks last only for a
/// transaction. The claim is two locks:
///
/// - `flock` on a file next to the database. It is taken before the database is accessed.
/// - A lock of an open file description (`F_OFD_SETLK`) on a byte of the database itself, far from
///   those that SQLite locks. It belongs to the inode, so it also applies through a hard link, and
///   after the lock file was removed. Such locks are independent of SQLite's, which belong to the
///   process (POSIX). But closing any descriptor of the database drops those, so this one is closed
///   last.
final class StoreFile: Sendable {
    /// Absolute, without symbolic links: two names of one file lead to one lock.
    let path: String
    private let descriptors: Locked<Descriptors>

    private struct Descriptors {
        var lock: Int32?
        /// Nil if the database cannot be opened, for which SQLite reports the reason.
        var database: Int32?
        /// The identity of the write-ahead log when the store was opened.
        var log: FileIdentity?
    }

    init(path: String) throws {
        self.path = try Self.resolved(path)
        let lock = try Self.claim(lockPath: self.path + "-lock", of: self.path)
        descriptors = Locked(Descriptors(lock: lock))
        if let objection = CompanionFile.objection(toLogsOf: self.path) {
            throw StoreError(.cannotOpen, objection, path: self.path)
        }
        makePrivate()
        try claimDatabase()
    }

    deinit {
        release()
    }

    /// Stores the identity of the write-ahead log, once SQLite has created it.
    func noteLog() {
        let log = FileIdentity(path: path + "-wal")
        descriptors.withLock { $0.log = log }
    }

    /// Compares the open files with those at the paths. A missing lock file is created and claimed
    /// again.
    func findFault() -> StoreFault? {
        descriptors.withLock { descriptors in
            guard let database = descriptors.database else { return nil }
            var open = stat()
            var named = stat()
            guard fstat(database, &open) == 0 else { return nil }
            guard open.st_nlink > 0, stat(path, &named) == 0 else { return .removed }
            guard FileIdentity(open) == FileIdentity(named) else { return .replaced }
            guard open.st_size > 0 else { return .emptied }
            if let log = descriptors.log, FileIdentity(path: path + "-wal") != log {
                return .logGone
            }
            return claimAgain(&descriptors) ? nil : .claimedTwice
        }
    }

    /// Checks that the lock file is the one that was claimed.
    private func claimAgain(_ descriptors: inout Descriptors) -> Bool {
        let lockPath = path + "-lock"
        guard let lock = descriptors.lock else { return true }
        var claimed = stat()
        guard fstat(lock, &claimed) == 0 else { return true }
        guard FileIdentity(path: lockPath) != FileIdentity(claimed) else { return true }
        do {
            let again = try Self.claim(lockPath: lockPath, of: path)
            Glibc.close(lock)
            descriptors.lock = again
            return true
        } catch {
            // A read-only directory does not prevent the use of this store: the inode is locked.
            return error.code != .locked
        }
    }

    static func claim(lockPath: String, of path: String) throws(StoreError) -> Int32 {
        let descriptor: Int32
        do throws(CompanionFile.Refusal) {
            descriptor = try CompanionFile.open(lockPath, O_RDWR | O_CREAT)
        } catch {
            let isReadOnly = error.code == EACCES || error.code == EROFS
            throw StoreError(
                isReadOnly ? .readOnly : .cannotOpen,
                "cannot create or use \(lockPath): \(error.reason)",
                path: path
            )
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno == EWOULDBLOCK ? "another hub runs on it" : errorText()
            Glibc.close(descriptor)
            throw StoreError(.locked, "database is in use: \(reason)", path: path)
        }
        return descriptor
    }

    /// Creates the file if it does not exist, accessible only by its owner: it contains secrets of
    /// webhooks. SQLite gives its log the same mode. An existing file keeps its mode.
    private func makePrivate() {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // If it cannot be created, SQLite reports the reason. SQLite has not opened it yet, so
        // closing drops no lock.
        if file >= 0 { Glibc.close(file) }
    }

    private func claimDatabase() throws {
        let file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return }
        descriptors.withLock { $0.database = file }
        guard !Self.setInodeLock(Int16(F_WRLCK), on: file) else { return }
        // On a file system without such locks, only the lock file is locked.
        guard errno == EAGAIN || errno == EACCES else { return }
        throw StoreError(
            .locked,
            "database is in use: another hub runs on it, by another name or without its lock file",
            path: path
        )
    }

    /// `F_OFD_SETLK` of fcntl(2), which the Glibc module does not import.
    private static let setOpenFileLock: Int32 = 37
    /// SQLite locks 512 bytes after the first gigabyte.
    private static let lockedByte: off_t = 1 << 61

    private static func setInodeLock(_ type: Int16, on file: Int32) -> Bool {
        var range = flock()
        range.l_type = type
        range.l_whence = Int16(SEEK_SET)
        range.l_start = lockedByte
        range.l_len = 1
        return withUnsafeMutablePointer(to: &range) { fcntl(file, setOpenFileLock, $0) } == 0
    }

    /// Releases the file for another hub; SQLite has closed it before. The lock file stays:
    /// deleting it would race with the next claim.
    ///
    /// Unlocked and not only closed: a process that is being forked holds the descriptor, and with
    /// it the lock, until it executes another program.
    func release() {
        let held = descriptors.withLock { descriptors in
            defer { descriptors = Descriptors() }
            return descriptors
        }
        if let database = held.database {
            _ = Self.setInodeLock(Int16(F_UNLCK), on: database)
            Glibc.close(database)
        }
        if let lock = held.lock {
            flock(lock, LOCK_UN)
            Glibc.close(lock)
        }
    }

    /// Whether a byte of the file cannot be read, which SQLite also reports as corruption.
    func hasReadError() -> Bool {
        descriptors.withLock { $0.database }.map(Self.hasReadError) ?? false
    }

    static func hasReadError(_ file: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset: off_t = 0
        while true {
            let count = pread(file, &buffer, buffer.count, offset)
            guard count > 0 else { return count < 0 }
            offset += off_t(count)
        }
    }

    /// Returns the length of a file in bytes; 0 if it does not exist.
    static func length(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    static func resolved(_ path: String) throws -> String {
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

    fileprivate static func split(_ path: String) -> (directory: String, name: String) {
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

/// For copies of the file.
extension StoreFile {
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether both paths are of one file.
    static func isSame(_ one: String, _ other: String) -> Bool {
        guard let first = FileIdentity(path: one) else { return false }
        return first == FileIdentity(path: other)
    }

    static func directory(of path: String) -> String { split(path).directory }

    /// Gives files that root has created to the owner of the directory, which is the hub's user.
    static func giveToOwnerOfDirectory(_ paths: [String]) {
        guard geteuid() == 0 else { return }
        for path in paths {
            var status = stat()
            guard stat(directory(of: path), &status) == 0 else { continue }
            _ = chown(path, status.st_uid, status.st_gid)
        }
    }
}

/// The identity of a file, whatever its path.
private struct FileIdentity: Equatable {
    let device: dev_t
    let inode: ino_t

    init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
    }

    /// Returns nil when there is no file at the path.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}

/// The text of the calling thread's `errno`.
func errorText() -> String {
    String(cString: strerror(errno))
}

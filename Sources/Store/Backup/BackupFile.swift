import Glibc

/// A file that is written under another name, and moved to its place when it is complete.
///
/// Only one process writes it at a time. A file that a killed process has left is overwritten.
struct BackupFile: ~Copyable {
    let path: String
    let descriptor: Int32

    private static let chunkBytes = 1 << 20

    /// Opens the file for writing, empty, readable only by its owner.
    ///
    /// - Throws: `StoreError`, also when another process is writing it.
    init(writing path: String) throws(StoreError) {
        self.path = path
        descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .ofFile("cannot create the file", path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw StoreError(.locked, "another process writes this file", path: path)
        }
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else {
            throw .ofFile("cannot empty the file", path)
        }
    }

    init(reading path: String) throws(StoreError) {
        self.path = path
        descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .ofFile("cannot read the file", path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.cannotOpen, "not a file", path: path)
        }
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    func length() throws(StoreError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .ofFile("cannot read the file", path) }
        return Int(status.st_size)
    }

    /// Calls `body` with the bytes before `end`, in parts.
    func read(to end: Int, _ body: (ArraySlice<UInt8>) throws(StoreError) -> Void)
        throws(StoreError)
    {
        var buffer = [UInt8](repeating: 0, count: Self.chunkBytes)
        var offset = 0
        while offset < end {
            let wanted = min(buffer.count, end - offset)
            let count = pread(descriptor, &buffer, wanted, off_t(offset))
            guard count >= 0 else { throw .ofFile("cannot read the file", path) }
            guard count > 0 else {
                throw StoreError(.corrupt, "the file ends at byte \(offset)", path: path)
            }
            try body(buffer[..<count])
            offset += count
        }
    }

    /// The seal at the end of the file; nil for a file without one.
    func seal() throws(StoreError) -> BackupSeal? {
        let begin = try length() - BackupSeal.size
        guard begin >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: BackupSeal.size)
        guard pread(descriptor, &bytes, bytes.count, off_t(begin)) == bytes.count else {
            throw .ofFile("cannot read the file", path)
        }
        return BackupSeal(bytes)
    }

    func computeSeal(of length: Int) throws(StoreError) -> BackupSeal {
        var stream = SHA256Stream()
        try read(to: length) { (bytes: ArraySlice<UInt8>) throws(StoreError) in stream.add(bytes) }
        return BackupSeal(length: length, digest: stream.finish())
    }

    func write(_ bytes: ArraySlice<UInt8>, at position: Int) throws(StoreError) {
        var rest = bytes
        while !rest.isEmpty {
            let offset = off_t(position + rest.startIndex - bytes.startIndex)
            let count = rest.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, offset)
            }
            guard count > 0 else { throw .ofFile("cannot write the file", path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Marks the file as one that needs no write-ahead log: "file format write version" and "read
    /// version" of SQLite's header. It can then be read on a read-only file system.
    func leaveLogMode() throws(StoreError) {
        try write([1, 1], at: 18)
    }

    /// Waits until the bytes are on the disk.
    func sync() throws(StoreError) {
        guard fsync(descriptor) == 0 else { throw .ofFile("cannot write the file", path) }
    }

    /// Moves the file to its place; replaces another one there only if `isReplacing` is set.
    func move(to target: String, isReplacing: Bool) throws(StoreError) {
        if isReplacing {
            guard rename(path, target) == 0 else { throw .ofFile("cannot be replaced", target) }
        } else {
            guard link(path, target) == 0 else { throw .ofFile("cannot be made", target) }
            unlink(path)
        }
        let directory = Glibc.open(StoreFile.directory(of: target), O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        Glibc.close(directory)
    }
}

extension StoreError {
    /// An error of a system call, with the text of `errno`.
    static func ofFile(_ message: String, _ path: String) -> StoreError {
        let code: Code
        switch errno {
        case ENOSPC, EDQUOT: code = .diskFull
        case EACCES, EROFS, EPERM: code = .readOnly
        case EIO: code = .ioFailed
        default: code = .cannotOpen
        }
        return StoreError(code, "\(message): \(errorText())", path: path)
    }
}

import Glibc

/// A file next to the database that belongs to the store: the lock file, the mark.
///
/// Others may be able to create files in the directory. So a name that leads elsewhere is refused:
/// a hub that runs as root would otherwise create or overwrite any file of the machine.
enum CompanionFile {
    /// Opens the file, and creates it with the flag `O_CREAT`, readable only by its owner.
    ///
    /// - Throws: the reason, and `errno` if the call failed.
    static func open(_ path: String, _ flags: Int32) throws(Refusal) -> Int32 {
        // Opening a pipe would otherwise wait for its other end.
        let safe = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = Glibc.open(path, safe, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            let isLink = code == ELOOP
            throw Refusal(code: code, reason: isLink ? "it is a symbolic link" : errorText())
        }
        if let reason = objection(to: descriptor, in: StoreFile.directory(of: path)) {
            Glibc.close(descriptor)
            throw Refusal(code: EPERM, reason: reason)
        }
        return descriptor
    }

    /// Why the file is not one of the hub's; nil if it may be.
    private static func objection(to descriptor: Int32, in directory: String) -> String? {
        var file = stat()
        var parent = stat()
        guard fstat(descriptor, &file) == 0, stat(directory, &parent) == 0 else {
            return errorText()
        }
        guard file.st_mode & S_IFMT == S_IFREG else { return "it is not a file" }
        guard file.st_nlink <= 1 else { return "it has \(file.st_nlink) names" }
        // Root restores backups, and gives the files to the owner of the directory.
        guard [geteuid(), 0, parent.st_uid].contains(file.st_uid) else {
            return "it belongs to user \(file.st_uid)"
        }
        return nil
    }

    /// Why files that SQLite makes next to the database cannot be used; nil if they can.
    static func objection(toLogsOf database: String) -> String? {
        for name in ["-wal", "-shm", "-journal"] {
            var status = stat()
            guard lstat(database + name, &status) == 0 else { continue }
            guard status.st_mode & S_IFMT == S_IFREG else {
                return "\(database)\(name) is not a file, or is a symbolic link"
            }
        }
        return nil
    }

    struct Refusal: Error {
        let code: Int32
        let reason: String
    }
}

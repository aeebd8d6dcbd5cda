import GRDB
import Glibc

/// Creates copies of a store's file while a hub runs, verifies them, and restores them.
///
/// All functions block; `onOwnThread` is for asynchronous callers.
package struct StoreBackup: Sendable {
    private let schema: @Sendable () -> Schema

    /// The number of pages that are copied before each sync. Readers and the writer never wait for
    /// a lock, but a sync of the whole copy at once would make the hub's commits wait for the disk
    /// during that time.
    private static let pagesPerStep: CInt = 1024

    /// - Parameter migrations: those of the hub and of all its domains.
    package init(migrations: [Migration]) {
        schema = { Schema(adding: migrations) }
    }

    // MARK: Making

    /// Copies the database as of one transaction, including commits in the write-ahead log, while a
    /// hub may publish. The copy is verified and synced before it gets its name.
    ///
    /// - Parameter isReplacing: whether a file of that name is replaced.
    package func make(
        of database: String,
        at target: String,
        isReplacing: Bool
    ) throws -> BackupContents {
        guard StoreFile.length(database) > 0 else {
            throw StoreError(.cannotOpen, "no database here, or an empty one", path: database)
        }
        guard !StoreFile.isSame(database, target) else {
            throw StoreError(.cannotOpen, "this is the database itself", path: target)
        }
        guard isReplacing || !StoreFile.exists(target) else {
            throw StoreError(.cannotOpen, "the file exists and is not replaced", path: target)
        }
        let file = try BackupFile(writing: target + ".partial")
        do {
            try copy(database, to: file)
            let length = try file.length()
            let seal = try file.computeSeal(of: length)
            try file.write(seal.bytes[...], at: length)
            try file.sync()
            let contents = try read(file.path, sealed: seal, length: length)
            try file.move(to: target, isReplacing: isReplacing)
            return contents
        } catch {
            unlink(file.path)
            throw StoreError.translating(error, path: database)
        }
    }

    private func copy(_ database: String, to file: borrowing BackupFile) throws {
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(5)
        let source = try DatabaseQueue(path: database, configuration: reading)
        var writing = Configuration()
        writing.prepareDatabase { try $0.execute(sql: Self.withoutJournal) }
        let copy = try DatabaseQueue(path: file.path, configuration: writing)
        let (schema, pages) = (schema(), Self.pagesPerStep)
        let (descriptor, path) = (file.descriptor, file.path)
        // Inside a read transaction: a commit of the hub does not restart the copy.
        try source.read { source in
            try schema.check(source, path: database)
            _ = try Int.fetchOne(source, sql: "SELECT count(*) FROM hub")
            try copy.writeWithoutTransaction { copy in
                try source.backup(to: copy, pagesPerStep: pages) { _ in
                    guard fdatasync(descriptor) == 0 else {
                        throw StoreError.ofFile("cannot write the file", path)
                    }
                }
                // Also for a backup that is put in place without `restore`.
                try StoreIdentity.noteRestored(copy)
            }
        }
        try copy.close()
        try source.close()
        try file.leaveLogMode()
    }

    /// The copy has no name before it is complete and synced, so SQLite need not protect its steps.
    private static let withoutJournal = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"

    // MARK: Verifying

    /// Reads the whole file and writes nothing.
    ///
    /// - Throws: `StoreError` for a file that is damaged, is incomplete, or needs a write-ahead
    ///   log.
    package func verify(_ path: String) throws -> BackupContents {
        let file = try BackupFile(reading: path)
        guard StoreFile.length(path + "-wal") == 0 else {
            throw StoreError(
                .corrupt,
                "the write-ahead log of the file has commits that are not in the file",
                path: path
            )
        }
        do {
            let (seal, length) = try compare(file)
            return try read(path, sealed: seal, length: length)
        } catch {
            throw StoreError.translating(error, path: path)
        }
    }

    /// Compares the file with its seal.
    private func compare(_ file: borrowing BackupFile) throws -> (BackupSeal?, length: Int) {
        let whole = try file.length()
        guard let seal = try file.seal() else {
            // SQLite accepts a file that ends inside its last page.
            var header = [UInt8](repeating: 0, count: 18)
            let hasHeader = pread(file.descriptor, &header, 18, 0) == 18
            let pageBytes = Int(header[16]) << 8 | Int(header[17])
            let page = pageBytes == 1 ? 65536 : pageBytes
            guard hasHeader, page > 0, whole % page == 0 else {
                throw StoreError(
                    .corrupt,
                    "the file is not whole: \(whole) bytes and no seal at the end",
                    path: file.path
                )
            }
            return (nil, whole)
        }
        let found = try file.computeSeal(of: whole - BackupSeal.size)
        guard found == seal else {
            throw StoreError(
                .corrupt,
                """
                the file is not as it was written: SHA-256 \(found.digest) of \(found.length) bytes \
                instead of \(seal.digest) of \(seal.length)
                """,
                path: file.path
            )
        }
        return (seal, seal.length)
    }

    private func read(
        _ path: String,
        sealed seal: BackupSeal?,
        length: Int
    ) throws -> BackupContents {
        var configuration = Configuration()
        configuration.readonly = true
        // "immutable": SQLite creates no other files and takes no lock.
        let queue = try DatabaseQueue(
            path: "file:\(Self.escaped(path))?immutable=1",
            configuration: configuration
        )
        defer { try? queue.close() }
        let schema = schema()
        return try queue.read { database in
            try BackupContents(
                database,
                schema: schema,
                path: path,
                length: length,
                digest: seal?.digest
            )
        }
    }

    /// Returns the path escaped for a URI.
    static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte) || "/-._~".utf8.contains(byte)
            guard !isPlain else { return String(UnicodeScalar(byte)) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    // MARK: Restoring

    /// Copies a backup to the place of a database that does not exist yet, and makes the next start
    /// begin a new epoch, so that no offset is assigned twice.
    ///
    /// - Throws: `StoreError`: before anything is written when the backup is damaged, a hub runs on
    ///   the database, or the database or its write-ahead log has bytes.
    package func restore(_ backup: String, to database: String) throws -> BackupContents {
        let contents = try verify(backup)
        let path = try StoreFile.resolved(database)
        let lock = try StoreFile.claim(lockPath: path + "-lock", of: path)
        defer { Glibc.close(lock) }
        for name in [path, path + "-wal"] where StoreFile.length(name) > 0 {
            throw StoreError(
                .cannotOpen,
                "the file has data, and a restore replaces none: move it to another place first",
                path: name
            )
        }
        let file = try BackupFile(writing: path + ".restoring")
        do {
            let source = try BackupFile(reading: backup)
            var position = 0
            try source.read(to: contents.length) { (bytes: ArraySlice<UInt8>) throws(StoreError) in
                try file.write(bytes, at: position)
                position += bytes.count
            }
            try file.leaveLogMode()
            try noteRestored(file.path)
            try file.sync()
            StoreFile.giveToOwnerOfDirectory([file.path, path + "-lock"])
            for name in ["-wal", "-shm"] { unlink(path + name) }
            try file.move(to: path, isReplacing: true)
            return contents
        } catch {
            unlink(file.path)
            throw StoreError.translating(error, path: path)
        }
    }

    private func noteRestored(_ path: String) throws {
        try Self.noteRestored(path)
    }

    private static func noteRestored(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try StoreIdentity.noteRestored($0) }
        try queue.close()
    }

    /// Makes the next start begin a new epoch if the database is a backup that was put in its place
    /// by other means than `restore`, such as `cp`: it ends with its seal. The seal is removed, so
    /// that only the first start finds it. Call it before SQLite opens the file.
    ///
    /// - Throws: `StoreError`.
    static func unseal(_ path: String) throws {
        // With a log, a hub has already used the file.
        guard StoreFile.length(path + "-wal") == 0, let length = try sealedLength(path) else {
            return
        }
        do {
            try noteRestored(path)
            // A crash before this repeats both.
            guard try sealedLength(path) == length, truncate(path, off_t(length)) == 0 else {
                throw StoreError.ofFile("cannot remove the seal of the backup", path)
            }
        } catch {
            throw StoreError.translating(error, path: path)
        }
    }

    /// The length of the database before the seal; nil for a file without one.
    private static func sealedLength(_ path: String) throws -> Int? {
        guard StoreFile.length(path) > BackupSeal.size else { return nil }
        let file = try BackupFile(reading: path)
        guard let seal = try file.seal(), seal.length + BackupSeal.size == (try file.length())
        else { return nil }
        return seal.length
    }
}

extension StoreBackup {
    /// The asynchronous form of `make`, for callers that must not block their thread.
    package func making(
        of database: String,
        at target: String,
        isReplacing: Bool
    ) async throws -> BackupContents {
        try await onOwnThread { try make(of: database, at: target, isReplacing: isReplacing) }
    }

    package func verifying(_ path: String) async throws -> BackupContents {
        try await onOwnThread { try verify(path) }
    }

    package func restoring(_ path: String, to database: String) async throws -> BackupContents {
        try await onOwnThread { try restore(path, to: database) }
    }
}

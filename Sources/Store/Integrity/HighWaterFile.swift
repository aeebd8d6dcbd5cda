import Glibc

/// The file next to the database with its `HighWater`: `varde.sqlite-mark`.
///
/// The writer overwrites one slot after each commit that raises the mark, before the commit is
/// acknowledged. The page cache survives the end of the process, so a plain write is enough against
/// `kill -9`; it is synced if the commit was. A mark that cannot be written is reported and has no
/// other effect: the commit is in the store.
final class HighWaterFile: Sendable {
    /// The mark found at the start.
    enum Found: Sendable, Equatable {
        case nothing
        /// The file has no valid slot, or cannot be read.
        case unreadable
        case mark(HighWater)
    }

    let found: Found
    let path: String
    private let syncsWrites: Bool
    private let notices: StoreNotices
    private let state: Locked<State>

    private struct State {
        /// Nil when the file could not be opened, or is closed.
        var descriptor: Int32?
        /// The sequence number of the newest slot.
        var sequence: UInt64
        var written: HighWater?
        var isFailing = false
    }

    /// Reads the file of a database if it exists; `begin` creates it.
    init(
        of database: String,
        _ synchronous: StoreOptions.Synchronous,
        _ notices: StoreNotices
    ) {
        path = database + "-mark"
        syncsWrites = synchronous == .full
        self.notices = notices
        var newest: (mark: HighWater, sequence: UInt64)?
        var isMissing = false
        do throws(CompanionFile.Refusal) {
            let descriptor = try CompanionFile.open(path, O_RDONLY)
            newest = Self.read(descriptor).flatMap(HighWaterSlots.newest)
            Glibc.close(descriptor)
        } catch {
            isMissing = error.code == ENOENT
        }
        found = newest.map { .mark($0.mark) } ?? (isMissing ? .nothing : .unreadable)
        state = Locked(State(sequence: newest?.sequence ?? 0))
    }

    deinit {
        close()
    }

    /// Writes the mark of a store that was just opened, synced like its identity, into both slots:
    /// later writes need no further disk space, and no older slot is left.
    func begin(_ mark: HighWater) {
        let descriptor: Int32
        do throws(CompanionFile.Refusal) {
            descriptor = try CompanionFile.open(path, O_RDWR | O_CREAT)
        } catch {
            return notices.report(.markNotWritten(path: path, error.reason))
        }
        state.withLock { $0.descriptor = descriptor }
        for _ in 0..<2 { write(mark, isForced: true) }
        sync()
    }

    /// Writes the mark if it differs from the last one written.
    func write(_ mark: HighWater, isForced: Bool = false) {
        let failure = state.withLock { state -> String? in
            guard let descriptor = state.descriptor, isForced || state.written != mark else {
                return nil
            }
            let sequence = state.sequence &+ 1
            let slot = HighWaterSlots.encode(mark, sequence: sequence)
            let count = pwrite(
                descriptor,
                slot,
                slot.count,
                off_t(HighWaterSlots.position(of: sequence))
            )
            guard count == slot.count, !syncsWrites || fdatasync(descriptor) == 0 else {
                let text = count == slot.count || count < 0 ? errorText() : "short write"
                defer { state.isFailing = true }
                return state.isFailing ? nil : text
            }
            state.sequence = sequence
            state.written = mark
            state.isFailing = false
            return nil
        }
        if let failure { notices.report(.markNotWritten(path: path, failure)) }
    }

    /// Waits until the written mark is on the disk.
    func sync() {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return }
            _ = fdatasync(descriptor)
        }
    }

    func close() {
        guard let descriptor = state.withLock({ $0.descriptor.take() }) else { return }
        Glibc.close(descriptor)
    }

    /// Returns nil when the file cannot be read.
    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: HighWaterSlots.fileLength)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { return nil }
        return Array(bytes.prefix(count))
    }
}

import Glibc

/// One connection's entry in the loop's table. An idle plaintext connection uses nothing else, and
/// no heap memory.
struct ConnectionSlot {
    struct Flags: OptionSet {
        let rawValue: UInt16
        /// In use, and not reported as ended.
        static let isOpen = Flags(rawValue: 1 << 0)
        /// On the list of connections to flush at the end of the turn.
        static let isDirty = Flags(rawValue: 1 << 1)
        /// To be closed when all queued bytes are sent.
        static let isClosing = Flags(rawValue: 1 << 2)
        /// Our end is closed; bytes are read and dropped until the peer's end of stream.
        static let isLingering = Flags(rawValue: 1 << 3)
        /// The caller reads input.
        static let isReading = Flags(rawValue: 1 << 4)
        /// The peer has sent its end of stream.
        static let hasEnded = Flags(rawValue: 1 << 5)
        /// `connect` is under way.
        static let isConnecting = Flags(rawValue: 1 << 6)
        /// The kernel watches for input, and for room to write.
        static let watchesInput = Flags(rawValue: 1 << 7)
        static let watchesOutput = Flags(rawValue: 1 << 8)
        /// Refused; only the table tracks it.
        static let isRefused = Flags(rawValue: 1 << 9)
        /// The header of the PROXY protocol is not yet complete.
        static let awaitsHeader = Flags(rawValue: 1 << 10)
        /// The peer is a trusted proxy that has named its client, or will: see
        /// `Connections.origins`.
        static let hasOrigin = Flags(rawValue: 1 << 11)
    }

    var descriptor: Int32
    var generation: UInt32
    var censusPlace: ConnectionCensus.Place
    var flags: Flags
    /// Staged and not yet sent: the first range here, further ones in the stage's list.
    var output: OutputRange
    var firstMore: Int32
    var lastMore: Int32
    /// Bytes that the kernel did not accept; nil when it accepted all.
    var backlog: UnsafeMutablePointer<Backlog>?
    var tls: UnsafeMutablePointer<TLSSession>?
    /// In nanoseconds of the monotonic clock; `never` for none. `scheduled` is its entry in the
    /// timers.
    var deadline: Int64
    var scheduled: Int64

    static let never = Int64.max

    static func unused(generation: UInt32) -> ConnectionSlot {
        ConnectionSlot(
            descriptor: -1,
            generation: generation,
            censusPlace: .none,
            flags: [],
            output: .none,
            firstMore: -1,
            lastMore: -1,
            backlog: nil,
            tls: nil,
            deadline: never,
            scheduled: never
        )
    }
}

/// Bytes that wait for room in the socket, oldest first, in one block of memory that is freed as
/// soon as all are sent.
struct Backlog: ~Copyable {
    private var storage: UnsafeMutableRawPointer
    private var size: Int
    private var start = 0
    private var end = 0
    /// The bytes that were removed.
    private(set) var taken: UInt64 = 0
    /// The place of the peer when the wait of a closing connection began.
    var place: UInt64 = 0

    init() {
        size = 4096
        storage = .allocate(byteCount: size, alignment: 1)
    }

    deinit {
        storage.deallocate()
    }

    var count: Int { end - start }

    /// The size of the block, in bytes.
    var heldBytes: Int { size }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: storage + start, count: count)
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        makeRoom(for: bytes.count)
        memcpy(storage + end, source, bytes.count)
        end += bytes.count
    }

    mutating func removeFirst(_ length: Int) {
        precondition(length >= 0 && length <= count)
        start += length
        taken += UInt64(length)
    }

    /// Doubles the block, so that a byte is moved once on average, however slowly the peer reads.
    private mutating func makeRoom(for length: Int) {
        guard end + length > size else { return }
        let kept = count
        if start < size / 2 || kept + length > size {
            while size < kept + length { size *= 2 }
            size *= 2
        }
        let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1)
        memcpy(larger, storage + start, kept)
        storage.deallocate()
        storage = larger
        start = 0
        end = kept
    }
}

import CZlib

/// zlib's decompressor of raw DEFLATE data (RFC 1951), for one direction of one connection or lent
/// by a `DeflatePool`. Belongs to one loop.
final class Inflater {
    enum Status {
        /// All input is taken and all that it yields is in the output.
        case done
        /// There is more to come, with the same input and more room.
        case hasMore
        /// The input is not DEFLATE data, or refers to bytes before the window.
        case invalid
    }

    let windowBits: Int
    /// Whether the input so far ends between two blocks.
    private(set) var isBetweenBlocks = true
    /// On the heap, because zlib holds a pointer back to it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// The state of zlib's `inflate` without its window, in bytes: 7,152 in zlib 1.3, rounded up.
    private static let stateBytes = 8 << 10

    /// The heap memory that it holds, in bytes.
    var heldBytes: Int { Inflater.stateBytes + (1 << windowBits) }

    /// - Parameter windowBits: The size of the window that the peer may refer back to. zlib
    ///   allocates it when the first message is inflated. It refuses references beyond the window,
    ///   except to bytes that the same call has put out: a peer that violates its window is not
    ///   always detected.
    init(windowBits: Int) {
        precondition(DeflateWindow.bitsRange.contains(windowBits))
        self.windowBits = windowBits
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result = inflateInit2_(
            stream,
            -Int32(windowBits),  // Negative: raw, without zlib's header and checksum.
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        // Like Swift's own allocations: without memory there is no way on.
        precondition(result == Z_OK, "zlib gives no decompressor: \(result)")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Inflates from `consumed` on until the input or the room in `output` ends.
    func inflate(
        _ input: Span<UInt8>,
        consumed: inout Int,
        into output: inout OutputSpan<UInt8>
    ) -> Status {
        let rest = input.extracting(consumed..<input.count)
        let result = rest.withUnsafeBufferPointer { source in
            output.withUnsafeMutableBufferPointer { room, count in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                stream.pointee.avail_in = UInt32(source.count)
                stream.pointee.next_out = room.baseAddress.map { $0 + count }
                stream.pointee.avail_out = UInt32(room.count - count)
                let result = CZlib.inflate(stream, Z_SYNC_FLUSH)
                count = room.count - Int(stream.pointee.avail_out)
                return result
            }
        }
        consumed = input.count - Int(stream.pointee.avail_in)
        switch result {
        case Z_OK, Z_BUF_ERROR:
            // "plus 128 if inflate() returned immediately after decoding an end-of-block code".
            isBetweenBlocks = stream.pointee.data_type & 128 != 0
            return stream.pointee.avail_out == 0 ? .hasMore : .done
        case Z_STREAM_END:
            // BFINAL ends a DEFLATE stream, not a message: padded with 0 to the next byte, "The next
            // DEFLATE block follows the padded data if any" (RFC 7692 §7.2.1, §7.2.3.4).
            isBetweenBlocks = true
            restartKeepingWindow()
            return consumed < input.count ? .hasMore : .done
        case Z_MEM_ERROR:
            preconditionFailure("zlib is out of memory")
        default:
            return .invalid
        }
    }

    /// Resets the decompressor to an empty window.
    func reset() {
        isBetweenBlocks = true
        inflateReset(stream)
    }

    /// Prepares for the first block of a stream that may still refer to bytes inflated before.
    private func restartKeepingWindow() {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << windowBits) { window in
            var length: UInt32 = 0
            inflateGetDictionary(stream, window.baseAddress, &length)
            inflateReset(stream)
            inflateSetDictionary(stream, window.baseAddress, length)
        }
    }
}

import CZlib

/// zlib's compressor of raw DEFLATE data (RFC 1951), for one direction of one connection or lent by
/// a `DeflatePool`. Belongs to one loop.
final class Deflater {
    let windowBits: Int
    /// On the heap, because zlib holds a pointer back to it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// "Remove 4 octets (that are 0x00 0x00 0xff 0xff) from the tail end" (RFC 7692 §7.2.1): the
    /// end of the empty block by which zlib flushes. The receiver puts them back.
    static let tail: InlineArray<4, UInt8> = [0x00, 0x00, 0xFF, 0xFF]
    /// The first bytes of such a block: the whole message when there is nothing else in it
    /// (RFC 7692 §7.2.3.6).
    private static let emptyBlock: UInt8 = 0x00

    init(windowBits: Int, settings: DeflateSettings) {
        precondition(DeflateWindow.bitsRange.contains(windowBits))
        self.windowBits = windowBits
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // zlib refuses a raw window of 8 bits, and would reach back further. With Z_RLE it refers
        // to the byte before and to nothing else, which fits every window.
        let isSmallest = windowBits == DeflateWindow.bitsRange.lowerBound
        let result = deflateInit2_(
            stream,
            Int32(settings.compressionLevel),
            Z_DEFLATED,
            -Int32(isSmallest ? windowBits + 1 : windowBits),  // Negative: raw, without a header.
            Int32(settings.memoryLevel),
            isSmallest ? Z_RLE : Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        // Like Swift's own allocations: without memory there is no way on.
        precondition(result == Z_OK, "zlib gives no compressor: \(result)")
    }

    deinit {
        // Z_DATA_ERROR means that a message was unfinished, which is not an error here.
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Appends the compressed `input`, such that the receiver can inflate all of it.
    ///
    /// - Parameter endsMessage: Leaves out the tail.
    func deflate(_ input: Span<UInt8>, endsMessage: Bool, to output: inout [UInt8]) {
        let start = output.count
        input.withUnsafeBufferPointer { source in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
            stream.pointee.avail_in = UInt32(source.count)
            repeat { flush(to: &output) } while stream.pointee.avail_out == 0
        }
        guard endsMessage else { return }
        // Nothing comes out when there is nothing to flush: no input since the last flush.
        guard output.count > start else { return output.append(Self.emptyBlock) }
        assert(output.suffix(Self.tail.count).elementsEqual([0x00, 0x00, 0xFF, 0xFF]))
        output.removeLast(Self.tail.count)
    }

    /// Calls zlib once with room for its usual output.
    private func flush(to output: inout [UInt8]) {
        // "make sure that avail_out is greater than six to avoid repeated flush markers".
        let flushLength = 16
        let room = Int(deflateBound(stream, UInt(stream.pointee.avail_in))) + flushLength
        output.append(addingCapacity: room) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                stream.pointee.next_out = buffer.baseAddress.map { $0 + count }
                stream.pointee.avail_out = UInt32(buffer.count - count)
                let result = CZlib.deflate(stream, Z_SYNC_FLUSH)
                // Z_BUF_ERROR: there was nothing to do.
                precondition(result == Z_OK || result == Z_BUF_ERROR, "deflate: \(result)")
                count = buffer.count - Int(stream.pointee.avail_out)
            }
        }
    }

    /// Resets the compressor to an empty window.
    func reset() {
        deflateReset(stream)
    }
}

extension Deflater {
    /// Appends a frame whose payload is compressed; returns the payload's length.
    ///
    /// - Parameter opcode: The first frame of a message, which has another opcode than
    ///   `continuation`, gets RSV1.
    func appendFrame(
        _ opcode: Opcode,
        _ payload: Span<UInt8>,
        isFinal: Bool,
        maskingKey: UInt32?,
        to output: inout [UInt8]
    ) -> Int {
        // Compressed after room for the longest header, because the header contains the length.
        let start = output.count
        let headerLengthMax = FrameHeader.Encoded.count
        output.append(contentsOf: repeatElement(0, count: headerLengthMax))
        deflate(payload, endsMessage: isFinal, to: &output)
        let header = FrameHeader(
            opcode: opcode,
            isFinal: isFinal,
            rsv1: opcode != .continuation,
            maskingKey: maskingKey,
            payloadLength: output.count - start - headerLengthMax
        )
        output.removeSubrange(start + header.encodedLength..<start + headerLengthMax)
        header.write(to: &output, at: start)
        if let maskingKey {
            var bytes = output.mutableSpan
            mask(&bytes, start + header.encodedLength..<bytes.count, key: maskingKey)
        }
        return header.payloadLength
    }
}

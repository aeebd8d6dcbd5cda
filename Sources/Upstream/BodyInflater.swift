import CZlib

/// Removes a content coding while the content arrives (RFC 9110 §8.4).
///
/// Call `inflate` for each piece of the content, then `finish`. After the first error every further
/// call throws the same one. Empty content is allowed, because responses without content also have
/// Content-Encoding.
///
/// The result does not depend on how the content is cut into pieces: neither the error nor the
/// bytes before it. If content inflates to more than its limit, exactly the limit is output.
///
/// It removes only one coding, and does not limit the ratio of the lengths: the limit of the output
/// bounds memory and time.
package struct BodyInflater: ~Copyable {
    private enum State {
        /// No byte yet. To `inStream`, for `deflate` possibly through `atSecondByte`.
        case atStart
        /// The first byte of `deflate` may begin a zlib header (RFC 1950 §2.2). It is held back
        /// until the second decides that. To `inStream`.
        case atSecondByte(first: UInt8)
        /// Within a gzip member or a zlib or DEFLATE stream. To `afterStream`.
        case inStream
        /// A stream is complete. For gzip back to `inStream`, because "members … simply appear one
        /// after another in the file" (RFC 1952 §2.2).
        case afterStream
        /// Reachable from any state; final.
        case failed(BodyInflaterError)
    }

    private let coding: ContentCoding
    private var state = State.atStart
    /// On the heap, because zlib holds a pointer back to it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// The largest window of DEFLATE: peers may use all of it.
    private static let windowBits: Int32 = 15
    /// ID1 of a gzip member (RFC 1952 §2.3.1).
    private static let gzipFirstByte: UInt8 = 0x1F
    /// The minimum growth of the output, in bytes.
    private static let growthMin = 4096
    /// The maximum number of bytes that zlib reads or writes in one call: it counts them in 32
    /// bits.
    private static let callLengthMax = 1 << 30

    package init(coding: ContentCoding) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // zlib expects 16 more for the gzip format.
        let windowBits = coding == .gzip ? Self.windowBits + 16 : Self.windowBits
        let size = Int32(MemoryLayout<z_stream>.size)
        let result = inflateInit2_(stream, windowBits, ZLIB_VERSION, size)
        // As for Swift's own allocations: a lack of memory is fatal.
        precondition(result == Z_OK, "zlib gives no decompressor: \(result)")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Appends to `output` the inflated content of `input`, which continues the earlier pieces.
    ///
    /// The capacity of the output doubles as needed, and never exceeds `lengthMax`; zlib allocates
    /// about 40 KiB in addition.
    ///
    /// - Parameter lengthMax: Of the whole `output`, in bytes, including its existing bytes. The
    ///   same at every call.
    /// - Throws: `tooLarge` when there is more, with `output` filled up to `lengthMax`;
    ///   `malformed`; `trailingBytes`.
    package mutating func inflate(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        lengthMax: Int
    ) throws(BodyInflaterError) {
        precondition(lengthMax >= output.count)
        do throws(BodyInflaterError) {
            var position = 0
            while position < input.count {
                let rest = input.extracting(position..<input.count)
                position += try step(rest, into: &output, lengthMax: lengthMax)
            }
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Call when the content has ended.
    ///
    /// - Throws: `truncated` unless the coded stream has also ended.
    package mutating func finish() throws(BodyInflaterError) {
        switch state {
        case .atStart, .afterStream: return
        case .atSecondByte, .inStream:
            state = .failed(.truncated)
            throw .truncated
        case .failed(let error): throw error
        }
    }

    /// Consumes the part of `input` that belongs to one state, at least one byte; returns its
    /// length.
    private mutating func step(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        lengthMax: Int
    ) throws(BodyInflaterError) -> Int {
        switch state {
        case .failed(let error): throw error
        case .inStream: return try readStream(input, into: &output, lengthMax: lengthMax)
        case .atStart where coding == .deflate:
            state = .atSecondByte(first: input[0])
            return 1
        case .atStart:
            state = .inStream
            return 0
        case .atSecondByte(let first):
            if !Self.isZlibHeader(first, input[0]) { inflateReset2(stream, -Self.windowBits) }
            state = .inStream
            _ = try readStream([first].span, into: &output, lengthMax: lengthMax)
            return 0
        case .afterStream:
            guard coding == .gzip, input[0] == Self.gzipFirstByte else { throw .trailingBytes }
            inflateReset(stream)
            state = .inStream
            return 0
        }
    }

    /// Runs zlib until the input or the stream ends; returns the number of consumed bytes.
    private mutating func readStream(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        lengthMax: Int
    ) throws(BodyInflaterError) -> Int {
        let part = input.extracting(0..<min(input.count, Self.callLengthMax))
        let stop = part.withUnsafeBufferPointer { source in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
            stream.pointee.avail_in = UInt32(source.count)
            return run(into: &output, lengthMax: lengthMax)
        }
        switch stop {
        case .inputEnd: assert(stream.pointee.avail_in == 0)
        case .streamEnd: state = .afterStream
        case .error(let error): throw error
        }
        return part.count - Int(stream.pointee.avail_in)
    }

    private enum Stop {
        case inputEnd
        case streamEnd
        case error(BodyInflaterError)
    }

    /// Calls zlib with the current input until it stops for another reason than a lack of room.
    private func run(into output: inout [UInt8], lengthMax: Int) -> Stop {
        while true {
            let result: Int32
            if output.count < lengthMax {
                result = inflate(into: &output, lengthMax: lengthMax)
            } else {
                // Without room zlib does not read on to the end of the stream. So it gets room for
                // one byte, which is over the limit if it is used.
                var excess: UInt8 = 0
                result = withUnsafeMutablePointer(to: &excess) { inflate(to: $0, length: 1) }
                if stream.pointee.avail_out == 0 { return .error(.tooLarge(limit: lengthMax)) }
            }
            switch result {
            case Z_OK where stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0: continue
            // Z_BUF_ERROR: the room was used up before, but no output was left.
            case Z_OK, Z_BUF_ERROR: return .inputEnd
            case Z_STREAM_END: return .streamEnd
            case Z_MEM_ERROR: preconditionFailure("zlib is out of memory")
            // Z_DATA_ERROR; Z_NEED_DICT for a zlib stream with a preset dictionary, which HTTP does
            // not have.
            default: return .error(.malformed)
            }
        }
    }

    /// Calls zlib once with the free capacity of `output`, which grows if necessary.
    private func inflate(into output: inout [UInt8], lengthMax: Int) -> Int32 {
        if output.count == output.capacity {
            let doubled = output.count + max(output.count, Self.growthMin)
            output.reserveCapacity(min(doubled, lengthMax))
        }
        let room = min(output.capacity, lengthMax) - output.count
        let length = min(room, Self.callLengthMax)
        var result = Z_OK
        output.append(addingCapacity: length) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                guard let start = buffer.baseAddress else { preconditionFailure("no room") }
                result = inflate(to: start + count, length: length)
                count += length - Int(stream.pointee.avail_out)
            }
        }
        return result
    }

    private func inflate(to room: UnsafeMutablePointer<UInt8>, length: Int) -> Int32 {
        stream.pointee.next_out = room
        stream.pointee.avail_out = UInt32(length)
        return CZlib.inflate(stream, Z_NO_FLUSH)
    }

    /// Whether the two bytes are CMF and FLG of a zlib stream (RFC 1950 §2.2): the method is 8, the
    /// window at most 32 KiB, and FCHECK makes a multiple of 31.
    ///
    /// No encoder begins DEFLATE data like that: method 8 would be a stored block with padding
    /// other than zeros (RFC 1951 §3.2.4).
    private static func isZlibHeader(_ cmf: UInt8, _ flg: UInt8) -> Bool {
        cmf & 0x0F == 8 && cmf >> 4 <= 7 && (UInt16(cmf) << 8 | UInt16(flg)) % 31 == 0
    }
}

/// An error in coded content.
package enum BodyInflaterError: Error, Hashable, Sendable {
    /// The content has more than `limit` bytes.
    case tooLarge(limit: Int)
    /// It is not in the format of its coding, or its checksum is wrong.
    case malformed
    /// The content ends before its coded stream does.
    case truncated
    /// The content continues after its coded stream.
    case trailingBytes
}

extension BodyInflaterError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge(let limit): "decompressed content over limit \(limit) bytes"
        case .malformed: "compressed content malformed"
        case .truncated: "compressed content ends too early"
        case .trailingBytes: "bytes behind the end of the compressed content"
        }
    }
}

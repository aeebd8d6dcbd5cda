import CZlib

/// Returns data in the gzip format (RFC 1952), the same bytes for the same data.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    let gzipWindowBits: Int32 = 15 + 16
    let memoryLevel: Int32 = 9
    let result = deflateInit2_(
        &stream,
        Z_BEST_COMPRESSION,
        Z_DEFLATED,
        gzipWindowBits,
        memoryLevel,
        Z_DEFAULT_STRATEGY,
        ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)
    )
    // Like Swift's own allocations: without memory there is no way on.
    precondition(result == Z_OK, "zlib gives no compressor: \(result)")
    defer { deflateEnd(&stream) }
    let capacity = Int(deflateBound(&stream, UInt(bytes.count)))
    return [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
        bytes.withUnsafeBufferPointer { input in
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(capacity)
            // The output has room for everything, so one call ends the stream.
            let ended = deflate(&stream, Z_FINISH)
            precondition(ended == Z_STREAM_END, "zlib did not end the stream: \(ended)")
        }
        count = capacity - Int(stream.avail_out)
    }
}

import CZlib
import Upstream

/// Content as servers send it, made by zlib.
enum Compression {
    /// The formats by zlib's window bits.
    enum Format: Int32, CaseIterable {
        case gzip = 31
        case zlib = 15
        case raw = -15

        var coding: ContentCoding { self == .gzip ? .gzip : .deflate }
    }

    static func compressed(
        _ content: [UInt8],
        _ format: Format,
        level: Int32 = Z_DEFAULT_COMPRESSION,
        dictionary: [UInt8] = []
    ) -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        var result = deflateInit2_(
            &stream,
            level,
            Z_DEFLATED,
            format.rawValue,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            size
        )
        precondition(result == Z_OK)
        defer { deflateEnd(&stream) }
        if !dictionary.isEmpty {
            deflateSetDictionary(&stream, dictionary, UInt32(dictionary.count))
        }
        var content = content
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(content.count))))
        content.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                result = deflate(&stream, Z_FINISH)
            }
        }
        precondition(result == Z_STREAM_END)
        return Array(output.dropLast(Int(stream.avail_out)))
    }

    /// A gzip member with every optional field of its header (RFC 1952 §2.3).
    static func memberWithAllFields(_ content: [UInt8]) -> [UInt8] {
        let plain = compressed(content, .gzip)
        // FTEXT, FHCRC, FEXTRA, FNAME, FCOMMENT.
        var header: [UInt8] = [0x1F, 0x8B, 8, 0b1_1111] + plain[4..<10]
        header += [5, 0] + Array("extra".utf8) + Array("name\0comment\0".utf8)
        let checksum = crc32(0, header, UInt32(header.count))
        header += [UInt8(checksum & 0xFF), UInt8(checksum >> 8 & 0xFF)]
        return header + plain.dropFirst(10)
    }
}

/// What a `BodyInflater` makes of pieces of content.
struct Inflation: Equatable {
    var output: [UInt8] = []
    var error: BodyInflaterError?

    init(_ output: [UInt8], _ error: BodyInflaterError? = nil) {
        self.output = output
        self.error = error
    }

    init(_ coding: ContentCoding, _ pieces: [[UInt8]], lengthMax: Int = 1 << 20) {
        var inflater = BodyInflater(coding: coding)
        do throws(BodyInflaterError) {
            for piece in pieces {
                try inflater.inflate(piece.span, into: &output, lengthMax: lengthMax)
            }
            try inflater.finish()
        } catch {
            self.error = error
        }
    }
}

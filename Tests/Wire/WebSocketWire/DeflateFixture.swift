import CZlib
import Expectations
import SeededRandom
import Wire

extension Wire {
    /// First bytes of a frame with RSV1: the start of a compressed message.
    static let deflatedText: UInt8 = 0xC1
    static let deflatedBinary: UInt8 = 0xC2
    static let deflatedTextStart: UInt8 = 0x41
    static let deflatedBinaryStart: UInt8 = 0x42
}

extension DeflateWindow {
    static func random(_ random: inout SeededGenerator) -> DeflateWindow {
        DeflateWindow(
            bits: Int.random(in: DeflateWindow.bitsRange, using: &random),
            isTakenOver: Bool.random(using: &random)
        )
    }

    static let takenOver = DeflateWindow(isTakenOver: true)
}

extension DeflateParameters {
    /// Both windows alike.
    static func both(_ window: DeflateWindow) -> DeflateParameters {
        DeflateParameters(server: window, client: window)
    }

    static let fresh = DeflateParameters()
    static let takenOver = DeflateParameters.both(.takenOver)
    static let either = [fresh, takenOver]

    func sent(by role: Role) -> DeflateWindow {
        switch role {
        case .server: server
        case .client: client
        }
    }
}

/// zlib used without the module, so that the two can disagree.
enum Zlib {
    /// One DEFLATE stream of a peer that keeps its context: each call is a message's payload, of one
    /// flushed piece without its tail.
    final class Compressor {
        private var stream = z_stream()

        init(windowBits: Int = 15, strategy: Int32 = Z_DEFAULT_STRATEGY) {
            deflateInit2_(
                &stream,
                9,
                Z_DEFLATED,
                -Int32(windowBits),
                9,
                strategy,
                ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)
            )
        }

        deinit { deflateEnd(&stream) }

        func payload(_ bytes: [UInt8], flush: Int32 = Z_SYNC_FLUSH) -> [UInt8] {
            var bytes = bytes
            var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 8 + 64)
            let count = bytes.withUnsafeMutableBufferPointer { source in
                output.withUnsafeMutableBufferPointer { room in
                    stream.next_in = source.baseAddress
                    stream.avail_in = UInt32(source.count)
                    stream.next_out = room.baseAddress
                    stream.avail_out = UInt32(room.count)
                    CZlib.deflate(&stream, flush)
                    return room.count - Int(stream.avail_out)
                }
            }
            let isFlushed = flush == Z_SYNC_FLUSH
            return Array(output[..<(isFlushed ? count - 4 : count)])
        }
    }

    /// Inflates messages of one peer, a byte at a time: only so does zlib refuse everything that
    /// reaches beyond the window.
    final class StrictDecompressor {
        private var stream = z_stream()

        init(windowBits: Int) {
            inflateInit2_(
                &stream,
                -Int32(windowBits),
                ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)
            )
        }

        deinit { inflateEnd(&stream) }

        /// The message of a payload; nil when it is not valid.
        func message(_ payload: [UInt8]) -> [UInt8]? {
            var input = payload + [0x00, 0x00, 0xFF, 0xFF]
            var output: [UInt8] = []
            return input.withUnsafeMutableBufferPointer { source in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                while true {
                    var byte: UInt8 = 0
                    let (result, isFilled) = withUnsafeMutablePointer(to: &byte) { room in
                        stream.next_out = room
                        stream.avail_out = 1
                        let result = CZlib.inflate(&stream, Z_SYNC_FLUSH)
                        return (result, stream.avail_out == 0)
                    }
                    if isFilled { output.append(byte) }
                    switch result {
                    case Z_OK: continue
                    case Z_BUF_ERROR: return stream.avail_in == 0 ? output : nil
                    default: return nil
                    }
                }
            }
        }

        func reset() { inflateReset(&stream) }
    }
}

/// Words that a compressor likes.
func sampleText(_ length: Int) -> [UInt8] {
    let words = Array(#"{"topic":"aurora:tromsø","offset":17,"kp":4.33,"score":61},"#.utf8)
    return (0..<length).map { words[$0 % words.count] }
}

/// Bytes that no compressor can make smaller.
func noise(_ length: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
}

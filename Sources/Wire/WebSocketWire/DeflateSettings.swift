/// The LZ77 sliding window of one direction of permessage-deflate (RFC 7692 §7.1).
package struct DeflateWindow: Hashable, Sendable {
    private var storedBits: UInt8
    /// Whether a message may refer to the messages before it: "context takeover".
    ///
    /// Better compression, above all of small messages that are alike, at the price of a compressor
    /// and a decompressor that each connection holds while it is idle.
    package var isTakenOver: Bool

    /// The base-2 logarithm of the window's size in bytes.
    package var bits: Int {
        get { Int(storedBits) }
        set {
            precondition(Self.bitsRange.contains(newValue))
            storedBits = UInt8(newValue)
        }
    }

    /// "a decimal integer value without leading zeroes between 8 to 15, inclusive"
    package static let bitsRange = 8...15
    /// The window if neither end asks for a smaller one.
    package static let bitsDefault = 15

    package init(bits: Int = DeflateWindow.bitsDefault, isTakenOver: Bool = false) {
        precondition(Self.bitsRange.contains(bits))
        storedBits = UInt8(bits)
        self.isTakenOver = isTakenOver
    }
}

/// Our settings of permessage-deflate (RFC 7692), as a server or as a client.
///
/// By default no direction takes its context over. zlib's compressor with the largest window has
/// 150 KiB and its decompressor 39 KiB: without takeover a loop's connections share a few of each
/// (`DeflatePool`), with it every connection that has sent and received has its own. A message that
/// is compressed once can also be sent to many connections: see `DeflatePool.appendShared`.
package struct DeflateSettings: Hashable, Sendable {
    /// The maximum window for the server's messages: the peer may ask for less.
    package let server: DeflateWindow
    /// The maximum window for the client's messages.
    package let client: DeflateWindow
    /// zlib's `level`, 1 (fastest) to 9 (smallest).
    package let compressionLevel: Int
    /// zlib's `memLevel`, 1 to 9: each step doubles the compressor's memory apart from the window.
    /// At 5 JSON of 128 bytes to 10 kB gets as small as at zlib's own 8, in as much time, with 115
    /// KiB less.
    package let memoryLevel: Int
    /// Messages shorter than this, in bytes, are sent uncompressed: the saving would be less than
    /// the cost.
    package let messageLengthMin: Int

    package init(
        server: DeflateWindow = DeflateWindow(),
        client: DeflateWindow = DeflateWindow(),
        compressionLevel: Int = 6,
        memoryLevel: Int = 5,
        messageLengthMin: Int = 128
    ) {
        precondition((1...9).contains(compressionLevel))
        precondition((1...9).contains(memoryLevel))
        precondition(messageLengthMin >= 0)
        self.server = server
        self.client = client
        self.compressionLevel = compressionLevel
        self.memoryLevel = memoryLevel
        self.messageLengthMin = messageLengthMin
    }
}

/// The parameters that both ends agreed on; `server` and `client` are the same directions at both.
package struct DeflateParameters: Hashable, Sendable {
    /// The window for the server's messages.
    package var server: DeflateWindow
    /// The window for the client's messages.
    package var client: DeflateWindow

    package init(
        server: DeflateWindow = DeflateWindow(),
        client: DeflateWindow = DeflateWindow()
    ) {
        self.server = server
        self.client = client
    }
}

/// The compressors and decompressors that the connections of one loop share, and messages that are
/// compressed once for many of them.
///
/// A connection whose direction does not take its context over borrows one for the time of a
/// message. Belongs to one loop, with its connections.
///
/// Kept while unused: one compressor and up to 16 decompressors of each requested window size, at
/// the default settings 150 KiB and 39 KiB each at most.
package final class DeflatePool {
    package let settings: DeflateSettings
    /// By window size, see `index(of:)`.
    private var inflaters: [[Inflater]]
    private var deflaters: [Deflater?]

    /// A peer that sends a message slowly holds one decompressor meanwhile, so that many can be
    /// out at once; to keep more than these for later saves nothing.
    package static let idleInflatersMax = 16

    package init(settings: DeflateSettings = DeflateSettings()) {
        self.settings = settings
        inflaters = Array(repeating: [], count: DeflateWindow.bitsRange.count)
        deflaters = Array(repeating: nil, count: DeflateWindow.bitsRange.count)
    }

    /// The number of idle decompressors, of all window sizes.
    package var idleInflaterCount: Int { inflaters.reduce(0) { $0 + $1.count } }

    /// The number of idle compressors, of all window sizes.
    package var idleDeflaterCount: Int { deflaters.count { $0 != nil } }

    /// Not a dictionary: to change one of its values takes three allocations for a message.
    private func index(of windowBits: Int) -> Int {
        windowBits - DeflateWindow.bitsRange.lowerBound
    }

    func takeInflater(windowBits: Int) -> Inflater {
        inflaters[index(of: windowBits)].popLast() ?? Inflater(windowBits: windowBits)
    }

    func giveBack(_ inflater: Inflater) {
        let index = index(of: inflater.windowBits)
        guard inflaters[index].count < Self.idleInflatersMax else { return }
        inflater.reset()
        inflaters[index].append(inflater)
    }

    func takeDeflater(windowBits: Int) -> Deflater {
        let index = index(of: windowBits)
        if let deflater = deflaters[index].take() { return deflater }
        return Deflater(windowBits: windowBits, settings: settings)
    }

    func giveBack(_ deflater: Deflater) {
        deflater.reset()
        deflaters[index(of: deflater.windowBits)] = deflater
    }

    /// Appends a server's frame with a whole compressed message for any number of clients. Returns
    /// false, and appends nothing, if compression does not pay.
    ///
    /// The message refers to nothing before it, so every client with at least this window
    /// (`WebSocketConnection.sendWindowBits`) can read it, whatever it received before. Later
    /// messages are different: a compressor that takes its context over would count distances
    /// without the shared message, which the client's window then holds. So either negotiate the
    /// server's direction without takeover, as by default, or call `sharedMessageWasSent` on each
    /// connection.
    ///
    /// Allocates nothing once `output` has its capacity and the compressor is there.
    ///
    /// - Parameter windowBits: One frame does for all connections when this is the smallest of
    ///   their windows; messages that fit into it lose nothing by that.
    package func appendShared(
        _ kind: MessageKind,
        _ payload: Span<UInt8>,
        windowBits: Int,
        to output: inout [UInt8]
    ) -> Bool {
        guard payload.count >= settings.messageLengthMin else { return false }
        let start = output.count
        let deflater = takeDeflater(windowBits: windowBits)
        defer { giveBack(deflater) }
        let length = deflater.appendFrame(
            kind.opcode,
            payload,
            isFinal: true,
            maskingKey: nil,
            to: &output
        )
        guard length < payload.count else {
            output.removeLast(output.count - start)
            return false
        }
        return true
    }
}

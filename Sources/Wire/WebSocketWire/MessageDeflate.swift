/// permessage-deflate of one connection (RFC 7692 §6 and §7.2): which message is compressed, and who
/// compresses and inflates it.
///
/// 64 bytes of heap for a connection that negotiated it, and without context takeover nothing more
/// between messages.
final class MessageDeflate {
    let incoming: DeflateWindow
    let outgoing: DeflateWindow
    /// Whether the message that is being received is compressed.
    private(set) var isInflating = false
    /// Whether our unfinished message is compressed.
    private(set) var isDeflating = false
    private let pool: DeflatePool
    /// Between messages only where the context is taken over, once there is one.
    private var inflater: Inflater?
    private var deflater: Deflater?

    init(role: Role, parameters: DeflateParameters, pool: DeflatePool) {
        switch role {
        case .server: (incoming, outgoing) = (parameters.client, parameters.server)
        case .client: (incoming, outgoing) = (parameters.server, parameters.client)
        }
        self.pool = pool
    }

    deinit { end() }

    /// Ends the connection: returns borrowed objects to the pool and releases its own.
    func end() {
        endInflating()
        endDeflating()
        inflater = nil
        deflater = nil
    }

    // MARK: Receiving

    /// A message begins whose first frame has RSV1.
    func beginInflating() {
        assert(!isInflating)
        isInflating = true
    }

    /// The one that has the message so far; taken from the pool with the first byte.
    func currentInflater() -> Inflater {
        assert(isInflating)
        if let inflater { return inflater }
        let new = pool.takeInflater(windowBits: incoming.bits)
        inflater = new
        return new
    }

    /// The memory of the one that has the message so far; 0 between messages.
    var inflatingBytes: Int { isInflating ? inflater?.heldBytes ?? 0 : 0 }

    /// The message is received, or the rest of it is not needed.
    func endInflating() {
        isInflating = false
        guard !incoming.isTakenOver, let inflater else { return }
        pool.giveBack(inflater)
        self.inflater = nil
    }

    // MARK: Sending

    /// Whether it pays to compress a message that begins with a frame of this length.
    func pays(_ payloadLength: Int, isFinal: Bool) -> Bool {
        // The length of a message whose end is not there is unknown; most who fragment have much.
        payloadLength >= pool.settings.messageLengthMin || !isFinal
    }

    /// Appends a frame of a compressed message. Returns false, and appends nothing, if it is better
    /// sent uncompressed, which is possible only for whole messages.
    func appendFrame(
        _ opcode: Opcode,
        _ payload: Span<UInt8>,
        isFinal: Bool,
        maskingKey: UInt32?,
        to output: inout [UInt8]
    ) -> Bool {
        let start = output.count
        let deflater = deflater ?? pool.takeDeflater(windowBits: outgoing.bits)
        self.deflater = deflater
        let length = deflater.appendFrame(
            opcode,
            payload,
            isFinal: isFinal,
            maskingKey: maskingKey,
            to: &output
        )
        isDeflating = true
        if isFinal { endDeflating() }
        // If the context is taken over, it has the message in it, and the peer's context must also
        // have it.
        let isWhole = isFinal && opcode != .continuation
        guard isWhole && !outgoing.isTakenOver && length >= payload.count else { return true }
        output.removeLast(output.count - start)
        return false
    }

    /// Starts afresh with the next message: the peer was sent something between that our context
    /// does not have. A message that refers to nothing before it is always understood.
    func forgetSent() {
        deflater?.reset()
    }

    private func endDeflating() {
        isDeflating = false
        guard !outgoing.isTakenOver, let deflater else { return }
        pool.giveBack(deflater)
        self.deflater = nil
    }
}

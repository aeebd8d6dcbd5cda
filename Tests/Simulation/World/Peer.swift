import Glibc

/// A client's end of a connection to the hub.
final class Peer {
    enum Received {
        case nothing
        case bytes([UInt8])
        /// The hub's end is closed; errno when it was cut.
        case end(code: Int32)
    }

    /// Which loop of which process is at the other end.
    let hub: HubModel
    let loop: Int
    private let incarnation: Int
    /// What had kept the hub from hearing of commits; nil while something does.
    private let troubles: Int?
    /// A command of this connection has waited for so long that the hub may have told a gap.
    var hasWaited = false
    /// Given to be sent, and not yet with the kernel.
    var output: [UInt8] = []
    /// A message may have taken longer than `limits.message_timeout`; then a client that does not read
    /// misses the Close frame.
    private(set) var hasSentParts = false
    private var descriptor: Int32

    init(descriptor: Int32, loop: Int, of hub: HubModel) {
        self.descriptor = descriptor
        self.loop = loop
        self.hub = hub
        incarnation = hub.incarnation
        troubles = hub.troubles
    }

    /// Whether the process is still there that it connected to.
    var isOfLivingProcess: Bool { incarnation == hub.incarnation && hub.isUp }

    /// Whether the hub could hear of every commit all the time since it was connected to.
    var couldCatchUp: Bool { troubles != nil && troubles == hub.troubles && !hasWaited }

    deinit { close() }

    /// Closes the descriptor, whatever is still to be read or sent.
    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Sends no more; still reads.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func flush(bytesMax: Int) {
        let count = min(bytesMax, output.count)
        guard count > 0 else { return }
        let sent = output.withUnsafeBytes {
            send(descriptor, $0.baseAddress, count, Int32(MSG_NOSIGNAL))
        }
        // A hub that has gone is noticed by reading.
        if sent > 0 { output.removeFirst(sent) }
        if !output.isEmpty { hasSentParts = true }
    }

    func receive(bytesMax: Int) -> Received {
        var code: Int32 = 0
        var end = false
        let bytes = [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, count in
            let received = recv(descriptor, buffer.baseAddress, bytesMax, 0)
            count = max(0, received)
            end = received == 0
            if received < 0 { code = errno }
        }
        if !bytes.isEmpty { return .bytes(bytes) }
        if end { return .end(code: 0) }
        return code == EAGAIN || code == EINTR ? .nothing : .end(code: code)
    }
}

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
    let loop: Int
    let incarnation: Int
    /// Given to be sent, and not yet with the kernel.
    var output: [UInt8] = []
    private var descriptor: Int32

    init(descriptor: Int32, loop: Int, incarnation: Int) {
        self.descriptor = descriptor
        self.loop = loop
        self.incarnation = incarnation
    }

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

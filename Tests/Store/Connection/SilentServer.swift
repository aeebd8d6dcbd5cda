import Expectations
import Foundation
import Glibc

/// A server that hangs, or a proxy in front of a dead one: it accepts connections on a port of
/// loopback, and answers nothing.
final class SilentServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let closes: Bool

    /// - Parameter closes: whether it closes each connection at once.
    init(closes: Bool = false) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        try require(isListening)
        port = UInt16(bigEndian: address.sin_port)
        self.closes = closes
        // The kernel accepts the connections of a server that hangs.
        if closes { Thread.detachNewThread { Self.closeAll(listener) } }
    }

    deinit { stop() }

    /// Ends the listener, and the connections that nobody has accepted.
    func stop() {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        if !closes { close(listener) }
    }

    private static func closeAll(_ listener: Int32) {
        while case let connection = accept(listener, nil, nil), connection >= 0 {
            close(connection)
        }
        close(listener)
    }
}

import CLinux
import Expectations
import Glibc
import Reactor

/// A server on loopback that answers every connection with the same bytes, whatever it is asked.
package enum RawServer {
    /// - Parameter closes: whether it closes the connection then, or keeps silent.
    package static func run(
        sending bytes: String,
        closes: Bool,
        _ body: (_ url: String) async throws -> Void
    ) async throws {
        let (listener, port) = try listen()
        let isStarted = startDetachedThread(name: "raw server") {
            serve(listener, Array(bytes.utf8), closes: closes)
        }
        try require(isStarted)
        // Wakes the thread out of `accept`.
        defer { shutdown(listener, Int32(SHUT_RDWR)) }
        try await body("http://127.0.0.1:\(port)/")
    }

    private static func listen() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) + Glibc.listen(descriptor, 16)
                    + getsockname(descriptor, $0, &length)
            }
        }
        try require(result == 0)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Until the listener is shut down.
    private static func serve(_ listener: Int32, _ bytes: [UInt8], closes: Bool) {
        var open: [Int32] = []
        defer { for descriptor in open + [listener] { close(descriptor) } }
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            var request = [UInt8](repeating: 0, count: 4096)
            _ = recv(descriptor, &request, request.count, 0)
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if closes { close(descriptor) } else { open.append(descriptor) }
        }
    }
}

import Glibc

/// Listening sockets that a service manager has opened and passed on (sd_listen_fds(3)).
///
/// They replace sockets for the configured addresses. The table belongs to the process, as the
/// descriptors do: it is filled once, before any listener is opened.
package struct InheritedListeners: Sendable {
    /// The first inherited descriptor: SD_LISTEN_FDS_START.
    private static let firstDescriptor: Int32 = 3
    private static let countMax = 64
    private static let shared = Locked(InheritedListeners())

    /// By the text of the address.
    private var descriptors: [String: Int32] = [:]

    /// The number of descriptors that the environment announces to this process; 0 without any.
    ///
    /// - Throws: `SystemError` for an invalid number.
    package static func count(
        in environment: [String: String],
        process: Int32
    ) throws(SystemError) -> Int {
        guard let text = environment["LISTEN_FDS"] else { return 0 }
        // Intended for another process, such as a shell that has started this one.
        guard let target = environment["LISTEN_PID"], Int32(target) == process else { return 0 }
        guard let count = Int(text), (0...countMax).contains(count) else {
            throw SystemError("LISTEN_FDS", code: EINVAL, context: "\(text)")
        }
        return count
    }

    /// Takes over the descriptors that the environment announces.
    package static func adopt(_ environment: [String: String]) throws(SystemError) {
        let count = try count(in: environment, process: getpid())
        var found: [String: Int32] = [:]
        for index in 0..<Int32(count) {
            let descriptor = firstDescriptor + index
            guard isListening(descriptor), let address = SocketAddress.local(of: descriptor) else {
                throw SystemError(
                    "listen on the inherited descriptor",
                    code: EINVAL,
                    context: "\(descriptor)"
                )
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            found["\(address)"] = descriptor
        }
        shared.withLock { $0.descriptors = found }
    }

    /// The addresses of inherited sockets that are not among those of listeners.
    package static func others(than addresses: [SocketAddress]) -> [String] {
        let named = Set(addresses.map { "\($0)" })
        return shared.withLock { $0.descriptors.keys.filter { !named.contains($0) } }.sorted()
    }

    static func contains(_ address: SocketAddress) -> Bool {
        shared.withLock { $0.descriptors["\(address)"] != nil }
    }

    /// Returns a separate descriptor for one loop; nil if no socket with this address was
    /// inherited. The loops share the socket's queue.
    static func duplicate(for address: SocketAddress) throws(SystemError) -> Int32? {
        let original = shared.withLock { $0.descriptors["\(address)"] }
        guard let original else { return nil }
        let descriptor = fcntl(original, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw SystemError("fcntl", context: "\(address)") }
        return descriptor
    }

    private static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) == 0 && value == 1
    }
}

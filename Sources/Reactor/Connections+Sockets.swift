import CLinux
import Glibc

/// The maximum number of connections that wait to be accepted, per listener; the kernel caps it at
/// `net.core.somaxconn`.
private let backlogMax: Int32 = 4096

/// A listening socket that shares its address with the listeners of the other loops.
func openListener(on address: SocketAddress) throws(SystemError) -> Int32 {
    if let inherited = try InheritedListeners.duplicate(for: address) { return inherited }
    let type =
        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, type, 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1)
    guard address.withSockaddr({ bind(descriptor, $0, $1) }) == 0,
        Glibc.listen(descriptor, backlogMax) == 0
    else {
        let error = SystemError("listen on", context: "\(address)")
        close(descriptor)
        throw error
    }
    return descriptor
}

/// Throws when a socket already listens on `address`.
///
/// With `SO_REUSEPORT`, which the loops need, a second hub of the same user would share the port
/// unnoticed, and each would receive half of the connections.
package func checkIsFree(_ address: SocketAddress) throws(SystemError) {
    guard !InheritedListeners.contains(address) else { return }
    let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    defer { close(descriptor) }
    setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    guard address.withSockaddr({ bind(descriptor, $0, $1) }) == 0,
        Glibc.listen(descriptor, 1) == 0
    else { throw SystemError("listen on", context: "\(address)") }
}

/// Binds a socket to a local address before it connects; returns the error if that fails.
func bindSource(_ descriptor: Int32, to source: SocketAddress) -> SystemError? {
    // Without this option, bind chooses a port that no other socket of the address has, whatever
    // its peer; connections to different servers would share one range of ports.
    setOption(descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, 1)
    return source.withSockaddr({ bind(descriptor, $0, $1) }) == 0
        ? nil : SystemError("bind", context: "\(source)")
}

/// Sends small messages at once: the loop already coalesces, so Nagle's algorithm would only add
/// delay.
func setNoDelay(_ descriptor: Int32) {
    setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
}

/// RFC 5482: ends the connection when sent bytes are not acknowledged for this time; zero changes
/// nothing.
func setUserTimeout(_ descriptor: Int32, _ timeout: Duration) {
    guard timeout > .zero else { return }
    let (seconds, attoseconds) = timeout.components
    let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    setOption(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, milliseconds)
}

/// Returns the socket's pending error and clears it; 0 for none.
func takeError(of descriptor: Int32) -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
    return code
}

private func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
}

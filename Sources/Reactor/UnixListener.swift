import CLinux
import Glibc

/// A listening unix socket, and the file that names it.
///
/// The loops share its one descriptor: there is no `SO_REUSEPORT` for unix sockets.
package struct UnixListener: Sendable {
    /// The maximum length of `sun_path`, without the zero at its end.
    package static let pathBytesMax = 107

    package let address: SocketAddress
    let descriptor: Int32
    private let path: String
    /// The file that this process created; nil if a service manager created it, which also removes
    /// it.
    private let made: (device: dev_t, file: ino_t)?

    /// Creates the socket with its permissions. A socket file that no process listens on is
    /// replaced. A socket of this path that a service manager has passed on is used as it is.
    ///
    /// - Throws: when a process listens on it, when the path is not a socket, and when a system
    ///   call fails.
    package init(path: String, mode: UInt32) throws(SystemError) {
        guard let address = SocketAddress(unixPath: path) else {
            throw SystemError("listen on", code: ENAMETOOLONG, context: "unix:\(path)")
        }
        if let inherited = try InheritedListeners.duplicate(for: address) {
            self.address = address
            self.descriptor = inherited
            self.path = path
            made = nil
            return
        }
        try UnixListener.removeStale(path, address)
        let type =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        var status = stat()
        // Without `listen` no client can connect, so none does before the permissions are set.
        guard address.withSockaddr({ bind(descriptor, $0, $1) }) == 0,
            chmod(path, mode_t(mode)) == 0, stat(path, &status) == 0,
            Glibc.listen(descriptor, 4096) == 0
        else {
            let error = SystemError("listen on", context: "unix:\(path)")
            close(descriptor)
            throw error
        }
        self.address = address
        self.descriptor = descriptor
        self.path = path
        made = (status.st_dev, status.st_ino)
    }

    /// Closes this descriptor; the loops have separate ones.
    package func closeDescriptor() { close(descriptor) }

    /// Removes the file, unless another process has replaced it.
    package func removeFile() {
        var status = stat()
        guard let made, lstat(path, &status) == 0,
            status.st_dev == made.device, status.st_ino == made.file
        else { return }
        unlink(path)
    }

    private static func removeStale(
        _ path: String,
        _ address: SocketAddress
    ) throws(SystemError) {
        guard try hasStale(path, address) else { return }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw SystemError("remove", context: "unix:\(path)")
        }
    }

    /// Returns whether a socket file exists on which no process listens. Throws when a process
    /// listens on it, or when the path is not a socket.
    fileprivate static func hasStale(
        _ path: String,
        _ address: SocketAddress
    ) throws(SystemError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError("listen on", code: EEXIST, context: "unix:\(path) is no socket")
        }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { throw SystemError("socket") }
        defer { close(probe) }
        guard address.withSockaddr({ Glibc.connect(probe, $0, $1) }) != 0 else {
            throw SystemError(
                "listen on",
                code: EADDRINUSE,
                context: "unix:\(path), a process listens there"
            )
        }
        // EACCES and similar errors: not ours to remove.
        guard errno == ECONNREFUSED else {
            throw SystemError("listen on", context: "unix:\(path)")
        }
        return true
    }
}

/// Throws when a process already listens on the unix socket `path`, when the path is not a socket, and
/// when no socket can be created there.
package func checkIsFree(unixPath path: String) throws(SystemError) {
    guard let address = SocketAddress(unixPath: path) else {
        throw SystemError("listen on", code: ENAMETOOLONG, context: "unix:\(path)")
    }
    guard !InheritedListeners.contains(address) else { return }
    _ = try UnixListener.hasStale(path, address)
    // A slash at the end stands for the directory itself.
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) == 0 else {
        throw SystemError("listen on", context: "unix:\(path)")
    }
}

extension Connections {
    /// Listens on a unix socket that several loops share.
    package mutating func listen(
        on listener: UnixListener,
        kind: ListenerKind = .public
    ) throws(SystemError) {
        let descriptor = fcntl(listener.descriptor, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { throw SystemError("dup", context: "\(listener.address)") }
        add(Listener(descriptor: descriptor, tls: nil, kind: kind))
    }

    mutating func add(_ listener: Listener) {
        let token = Connections.listenerBit | UInt64(listeners.count)
        listeners.append(listener)
        watch(listener.descriptor, token: token, EPOLL_CTL_ADD, EPOLLIN.rawValue)
    }

    package func kind(of listener: ListenerID) -> ListenerKind { listeners[listener.index].kind }
}

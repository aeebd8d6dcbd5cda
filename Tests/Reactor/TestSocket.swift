import CLinux
import Dispatch
import Glibc

@testable import Reactor

/// The other end of a connection under test: a blocking socket of loopback.
///
/// What can block runs on a thread of its own, so that the test's task gives its thread away. A peer
/// that never answers is an error after `patienceSeconds`, not a test that hangs.
final class TestSocket: Sendable {
    private static let patienceSeconds = 20

    private let descriptor: Locked<Int32>
    private let queue = DispatchQueue(label: "test socket")

    /// - Parameter receiveBufferSize: what the kernel is asked to hold for a client that does not read.
    convenience init(to address: SocketAddress, receiveBufferSize: Int32? = nil) throws {
        try self.init(unconnectedTo: address, receiveBufferSize: receiveBufferSize)
        try connect(to: address)
    }

    init(unconnectedTo address: SocketAddress, receiveBufferSize: Int32? = nil) throws {
        let socket = Glibc.socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw SystemTestError(code: errno) }
        descriptor = Locked(socket)
        if let receiveBufferSize { setBufferSize(receiveBufferSize, SO_RCVBUF, of: socket) }
        var patience = timeval(tv_sec: TestSocket.patienceSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                socket,
                SOL_SOCKET,
                option,
                &patience,
                socklen_t(MemoryLayout<timeval>.size)
            )
        }
    }

    func connect(to address: SocketAddress) throws {
        let socket = descriptor.withLock { $0 }
        var result: Int32
        // A socket with time-outs is interrupted by any signal; the next call waits on (connect(2)).
        repeat {
            result = address.withSockaddr { Glibc.connect(socket, $0, $1) }
        } while result != 0 && errno == EINTR
        guard result == 0 else { throw SystemTestError(code: errno) }
    }

    deinit {
        close()
    }

    /// Sends what fits into the kernel's buffers, which is all of a short message.
    func send(_ bytes: [UInt8]) {
        _ = Glibc.send(descriptor.withLock { $0 }, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads exactly `count` bytes.
    func receive(_ count: Int) async throws -> [UInt8] {
        let bytes = try await receive { $0 < count ? count - $0 : 0 }
        guard bytes.count == count else { throw EndOfStream(after: bytes) }
        return bytes
    }

    /// Reads to the end of the stream.
    func receiveAll() async throws -> [UInt8] {
        try await receive { _ in 1 << 16 }
    }

    struct EndOfStream: Error {
        let after: [UInt8]
    }

    /// Reads until the stream ends or `wanted`, given how many bytes have come, answers 0.
    private func receive(_ wanted: @escaping @Sendable (Int) -> Int) async throws -> [UInt8] {
        let socket = descriptor.withLock { $0 }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                var bytes: [UInt8] = []
                var piece = [UInt8](repeating: 0, count: 1 << 16)
                while case let size = min(wanted(bytes.count), piece.count), size > 0 {
                    var count: Int
                    repeat {
                        count = recv(socket, &piece, size, 0)
                    } while count < 0 && errno == EINTR
                    if count < 0 {
                        return continuation.resume(throwing: SystemTestError(code: errno))
                    }
                    if count == 0 { break }
                    bytes += piece[..<count]
                }
                continuation.resume(returning: bytes)
            }
        }
    }

    /// Sends no more, and can still receive.
    func finishSending() {
        shutdown(descriptor.withLock { $0 }, Int32(SHUT_WR))
    }

    func close() {
        let socket = descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        if socket >= 0 { Glibc.close(socket) }
    }

    /// Closes with a reset instead of an end of stream.
    func reset() {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor.withLock { $0 },
            SOL_SOCKET,
            SO_LINGER,
            &atOnce,
            socklen_t(MemoryLayout<linger>.size)
        )
        close()
    }
}

func setBufferSize(_ size: Int32, _ option: Int32, of socket: Int32) {
    var size = size
    setsockopt(socket, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<Int32>.size))
}

/// How many segments with data a socket has sent: on loopback, with Nagle's algorithm off and a peer
/// that has room, the number of writes.
func dataSegmentsSent(by socket: Int32) -> UInt32? {
    // `tcpi_data_segs_out` of linux/tcp.h, which glibc's struct is too old to have.
    let offset = 156
    var info = [UInt8](repeating: 0, count: 256)
    var length = socklen_t(info.count)
    guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0,
        Int(length) >= offset + MemoryLayout<UInt32>.size
    else { return nil }
    return info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
}

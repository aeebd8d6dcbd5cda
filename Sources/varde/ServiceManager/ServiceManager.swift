import Glibc
import Hub

/// The service manager that has started the process, reached through the socket in `NOTIFY_SOCKET`.
/// Without one, all functions do nothing.
struct ServiceManager: Sendable {
    private let path: String?
    private let watchdog: WatchdogInterval?

    init(_ environment: [String: String]) {
        path = environment["NOTIFY_SOCKET"].flatMap { path in
            path.hasPrefix("/") || path.hasPrefix("@") ? path : nil
        }
        watchdog = WatchdogInterval(environment, process: getpid())
    }

    /// Sends one datagram, without blocking: a manager that does not read it must not delay the
    /// hub.
    func report(_ state: ServiceState) {
        guard let path, path.utf8.count < ServiceManager.pathMax else { return }
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        // "@" represents the zero byte of an abstract name.
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bytes = Array(state.text.utf8)
        withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    descriptor,
                    bytes,
                    bytes.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT),
                    $0,
                    length
                )
            }
        }
    }

    func reportReloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let microseconds = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
        report(.reloading(monotonicMicroseconds: microseconds))
    }

    /// Reports that the hub is alive each time that all of its loops have responded. If a loop
    /// hangs, the reports end, and the manager restarts the process.
    func watch(_ hub: HubService) async {
        guard path != nil, let watchdog else { return }
        repeat {
            await hub.waitForLoops()
            report(.alive)
        } while (try? await Task.sleep(for: watchdog.pause)) != nil
    }

    /// The size of `sockaddr_un.sun_path` in bytes.
    private static let pathMax = 108
}

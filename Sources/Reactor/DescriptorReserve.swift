import Glibc

/// One spare descriptor of the process, shared by its loops: when there is no other, it is used for
/// a connection while that is refused.
///
/// The lock is held during the system calls of a loan, so that only one loop lends the descriptor
/// at a time. Other code of the process that opens a descriptor meanwhile may still take it.
package final class DescriptorReserve: Sendable {
    /// The number of the process's last descriptors that no accepted connection keeps.
    ///
    /// Other code also opens files, and some of it cannot go on without: Dispatch reads the states of
    /// its threads in /proc about once a second, and ends the process when it cannot.
    static let keptForOthers = 8

    /// Negative when other code took the descriptor during a loan.
    private let descriptor = Locked<Int32>(DescriptorReserve.open())

    package init() {}

    deinit {
        descriptor.withLock { if $0 >= 0 { Glibc.close($0) } }
    }

    /// Whether a new descriptor is one of the last: the kernel gives the lowest that is free, so
    /// fewer than `keptForOthers` remain.
    static func isForOthers(_ descriptor: Int32) -> Bool {
        var limit = rlimit()
        // The limit of now: an operator may change it while the process runs.
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return false
        }
        return Int(descriptor) + keptForOthers >= Int(clamping: limit.rlim_cur)
    }

    /// Whether other code took the descriptor, so that it must be replaced.
    var isMissing: Bool { descriptor.withLock { $0 < 0 } }

    /// Opens the spare descriptor again, if one is available now. Returns false if none is.
    @discardableResult
    func refill() -> Bool {
        descriptor.withLock {
            if $0 < 0 { $0 = DescriptorReserve.open() }
            return $0 >= 0
        }
    }

    /// Frees the descriptor for `body`, which must not keep it, and opens it again afterwards.
    /// Returns nil when there is none to lend.
    func lend<Value>(_ body: () -> Value) -> Value? {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return nil }
            Glibc.close(descriptor)
            defer { descriptor = DescriptorReserve.open() }
            return body()
        }
    }

    private static func open() -> Int32 {
        Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
}

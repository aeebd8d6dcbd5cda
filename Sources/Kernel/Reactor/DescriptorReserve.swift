import Glibc
import Locking

/// One spare descriptor of the process, shared by its loops: when there is no other, it is used for
/// a connection while that is refused.
///
/// The lock is held during the system calls of a loan, so that only one loop lends the descriptor
/// at a time. Other code of the process that opens a descriptor meanwhile may still take it.
package final class DescriptorReserve: Sendable {
    /// Negative when other code took the descriptor during a loan.
    private let descriptor = Locked<Int32>(DescriptorReserve.open())

    package init() {}

    deinit {
        descriptor.withLock { if $0 >= 0 { Glibc.close($0) } }
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

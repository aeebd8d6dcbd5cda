import Glibc
import Locking

/// One descriptor that the process keeps back, shared by its loops: when there is no other, it takes the
/// place of a connection for as long as that needs to be turned away.
///
/// The lock is held over the system calls of a loan, so that only one loop gives the descriptor away at
/// a time. Whoever else in the process opens something meanwhile may still be faster.
package final class DescriptorReserve: Sendable {
    /// Negative when somebody was faster.
    private let descriptor = Locked<Int32>(DescriptorReserve.open())

    package init() {}

    deinit {
        descriptor.withLock { if $0 >= 0 { Glibc.close($0) } }
    }

    /// Whether somebody was faster and the descriptor is to be had back.
    var isMissing: Bool { descriptor.withLock { $0 < 0 } }

    /// Takes a descriptor back, if there is one by now. False when there is none.
    @discardableResult
    func refill() -> Bool {
        descriptor.withLock {
            if $0 < 0 { $0 = DescriptorReserve.open() }
            return $0 >= 0
        }
    }

    /// Gives the descriptor free for `body`, which must not keep it, and takes one back. Nil when there is
    /// none to give.
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

// Locking: the one lock of the project. State belongs to a loop, an actor or a value; this is for the
// little that several threads share.

import Glibc

/// A value that is only touched under a mutex.
///
/// A pthread mutex, because ThreadSanitizer reports false races on `Synchronization.Mutex`.
/// `@unchecked Sendable`: only `withLock` touches the value, and holds the mutex.
public final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Unchecked: the mutex prevents overlapping access.
    @exclusivity(unchecked) @usableFromInline var value: Value

    /// A closure belongs into a struct first: stored bare, it is wrapped once more at every access.
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        let result = pthread_mutex_init(mutex, nil)
        precondition(result == 0, "pthread_mutex_init failed with \(result)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` while holding the mutex. It must be short, and must not call out.
    ///
    /// Inlinable, so that other modules call a specialized copy. Public, because the compiler (6.3) does not
    /// serialize the bodies of inlinable functions with package access.
    @inlinable public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}

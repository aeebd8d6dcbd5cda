import CLinux
import Glibc

/// Runs `body` on a separate thread, which ends with it; returns false when the system cannot
/// create one.
package func startDetachedThread(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    let boxed = Unmanaged.passRetained(
        ThreadBody {
            varde_name_thread(name)
            body()
        }
    )
    var thread = pthread_t()
    let result = pthread_create(
        &thread,
        nil,
        { argument in
            Unmanaged<ThreadBody>.fromOpaque(argument!).takeRetainedValue().run()
            return nil
        },
        boxed.toOpaque()
    )
    guard result == 0 else {
        boxed.release()
        return false
    }
    pthread_detach(thread)
    return true
}

private final class ThreadBody {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
}

import Dispatch
import Foundation

/// Checks once a second whether the store's files are still those at its path, on a separate
/// thread, because a file system that hangs blocks the calling thread.
///
/// SQLite does not detect that its file was removed: commits would be acknowledged and lost with
/// the process.
final class StoreWatch: Sendable {
    private let file: StoreFile
    private let notices: StoreNotices
    private let current = Locked<StoreFault?>(nil)
    private let stopped = DispatchSemaphore(value: 0)
    /// Called when a fault begins, before it is reported.
    private let onFault: @Sendable (StoreError) -> Void

    init(
        _ file: StoreFile,
        notices: StoreNotices,
        onFault: @escaping @Sendable (StoreError) -> Void
    ) {
        self.file = file
        self.notices = notices
        self.onFault = onFault
    }

    deinit {
        stop()
    }

    /// Starts checking, until `stop` or until this object is released.
    func start(every interval: Duration) {
        let thread = Thread { [weak self, stopped] in
            while stopped.wait(timeout: .now() + interval.inSeconds) == .timedOut {
                guard let self else { return }
                self.look()
            }
        }
        thread.name = "store-watch"
        // It only calls `stat` and the logger.
        thread.stackSize = 512 << 10
        thread.start()
    }

    func stop() {
        stopped.signal()
    }

    /// Checks once.
    func look() {
        let fault = file.findFault()
        let before = current.withLock { current in
            defer { current = fault }
            return current
        }
        guard fault != before else { return }
        if let fault { onFault(error(fault)) }
        notices.report(
            fault.map { .filesWrong(path: file.path, $0) } ?? .filesRight(path: file.path)
        )
    }

    /// - Throws: `StoreError` while the files are not those at the path.
    func refuse() throws {
        if let fault = current.withLock({ $0 }) { throw error(fault) }
    }

    private func error(_ fault: StoreFault) -> StoreError {
        StoreError(.gone, "\(StoreError.Code.gone.summary): \(fault)", path: file.path)
    }
}

import Locking

/// Everything that a hub counts. Each part adds what it knows, and is asked for it whenever metrics are read.
package final class MetricsRegistry: Sendable {
    package typealias Writer = @Sendable (inout MetricsText) async -> Void

    /// A struct, because a function that is itself the value of a lock is wrapped once more at every access: some ten
    /// thousand scrapes later, calling it would take more stack than a thread has.
    private struct Part: Sendable {
        let write: Writer
    }

    private let parts = Locked<[Part]>([])

    package init() {}

    /// Adds a part. Its metrics have names that no other part has.
    package func add(_ write: @escaping Writer) {
        parts.withLock { $0.append(Part(write: write)) }
    }

    /// All metrics, in the order in which their parts were added.
    package func text() async -> String {
        var text = MetricsText()
        for part in parts.withLock({ $0 }) { await part.write(&text) }
        return text.text
    }

    /// Lets all parts go: some know whoever knows the registry.
    package func removeAll() {
        parts.withLock { $0 = [] }
    }
}

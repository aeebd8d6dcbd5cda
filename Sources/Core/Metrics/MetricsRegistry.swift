/// All metrics of a hub. Each part adds a writer, which is called whenever metrics are read.
package final class MetricsRegistry: Sendable {
    package typealias Writer = @Sendable (inout MetricsText) async -> Void

    /// A struct, because a function that is itself the value of a lock is wrapped once more at
    /// every access: after some ten thousand scrapes, calling it would take more stack than a
    /// thread has.
    private struct Part: Sendable {
        let write: Writer
    }

    private let parts = Locked<[Part]>([])

    package init() {}

    /// Adds a part. The names of its metrics must be unique in the registry.
    package func add(_ write: @escaping Writer) {
        parts.withLock { $0.append(Part(write: write)) }
    }

    /// Returns all metrics, in the order in which their parts were added.
    package func text() async -> String {
        var text = MetricsText()
        await write(to: &text)
        return text.text
    }

    /// Adds all metrics to a text.
    package func write(to text: inout MetricsText) async {
        for part in parts.withLock({ $0 }) { await part.write(&text) }
    }

    /// Removes all parts, since some refer to objects that refer to the registry.
    package func removeAll() {
        parts.withLock { $0 = [] }
    }
}

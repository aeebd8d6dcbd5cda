import Locking

/// How long domains take to derive what they publish.
package final class DerivationTimes: Sendable {
    private let times = Locked<[String: Histogram]>([:])

    package init() {}

    /// Has a domain listed before its first derivation.
    package func add(_ domain: String) {
        times.withLock { $0[domain] = $0[domain] ?? Histogram(.times) }
    }

    /// A derivation is done, committed or not.
    package func note(_ domain: String, _ duration: Duration) {
        times.withLock { $0[domain, default: Histogram(.times)].add(duration) }
    }

    package func write(to text: inout MetricsText) {
        let times = times.withLock { $0 }.sorted { $0.key < $1.key }
        text.histogram(
            "hub_derive_seconds",
            "Derivations, with reading their inputs, without their commits.",
            times.map { ([("domain", $0.key)], $0.value) }
        )
    }
}

/// The times that domains take to derive their publications.
package final class DerivationTimes: Sendable {
    private let times = Locked<[String: Histogram]>([:])

    package init() {}

    /// Lists a domain before its first derivation.
    package func add(_ domain: String) {
        times.withLock { $0[domain] = $0[domain] ?? Histogram(.times) }
    }

    /// Records a derivation, whether or not it was committed.
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

import Locking
import Reactor

/// Whether the hub should get traffic, and if not, why. Written by the parts that know, read by `/readyz`.
package final class ReadinessBoard: Sendable {
    private let reasons = Locked<[String: String]>(["hub": "starting"])

    package init() {}

    /// Sets or, with nil, lifts the objection of one part.
    package func set(_ reason: String?, part: String) {
        reasons.withLock { $0[part] = reason }
    }

    /// What objects, each part with its reason, in the order of the parts' names.
    package var objections: [(part: String, reason: String)] {
        reasons.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Nil when ready.
    package var refusal: String? {
        let objections = objections
        return objections.isEmpty ? nil : objections.map(\.reason).joined(separator: "; ")
    }
}

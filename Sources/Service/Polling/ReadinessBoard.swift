import Reactor

/// Whether the hub should receive traffic, and if not, why. Written by the parts of the hub, read
/// by `/readyz`.
package final class ReadinessBoard: Sendable {
    private let reasons = Locked<[String: String]>(["hub": "starting"])

    package init() {}

    /// Sets the objection of one part, or lifts it with nil.
    package func set(_ reason: String?, part: String) {
        reasons.withLock { $0[part] = reason }
    }

    /// The parts that object, each with its reason, in the order of their names.
    package var objections: [(part: String, reason: String)] {
        reasons.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// The combined objections; nil if the hub is ready.
    package var refusal: String? {
        let objections = objections
        return objections.isEmpty ? nil : objections.map(\.reason).joined(separator: "; ")
    }
}

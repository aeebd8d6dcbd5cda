import Locking
import Reactor

/// Whether the hub should get traffic, and if not, why. Written by the parts that know, read by `/readyz`.
package final class ReadinessBoard: Sendable {
    private let reasons = Locked<[String: String]>(["hub": "starting"])

    package init() {}

    /// Sets or, with nil, lifts the objection of one part.
    func set(_ reason: String?, part: String) {
        reasons.withLock { $0[part] = reason }
    }

    /// Nil when ready.
    package var refusal: String? {
        reasons.withLock {
            $0.isEmpty ? nil : $0.sorted { $0.key < $1.key }.map(\.value).joined(separator: "; ")
        }
    }
}

import Configuration
import Digests
import News

/// The keys with which apps use `/v2`. They are the hub's own; the keys of its sources stay in the hub.
package struct NewsAPIKeys: Sendable {
    private let keys: [[UInt8]]
    /// In development, requests need none.
    private let allowsAll: Bool

    package init(_ keys: [Secret], development: Bool) {
        self.keys = keys.map { Array($0.revealed.utf8) }
        allowsAll = development
    }

    /// - Returns: what the caller is known by: its key, or nothing in development.
    package func admit(_ given: String?) throws(NewsAPIError) -> [UInt8] {
        guard !allowsAll else { return given.map { Array($0.utf8) } ?? [] }
        guard let given else { throw .apiKeyMissing }
        let bytes = Array(given.utf8)
        // Every key is compared, so that the time does not tell which one came close.
        var isKnown = false
        for key in keys where isEqualInConstantTime(key, bytes) { isKnown = true }
        guard isKnown else { throw .apiKeyInvalid }
        return bytes
    }
}

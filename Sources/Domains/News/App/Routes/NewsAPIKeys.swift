import DomainKit
import News

/// The keys of apps for `/v2`. They are issued by the operator; apps never see the keys of sources.
package struct NewsAPIKeys: Sendable {
    private let keys: [[UInt8]]
    /// In development, requests need none, and any key is accepted while none is configured: client
    /// libraries insist on one.
    private let allowsMissing: Bool

    package init(_ keys: [Secret], development: Bool) {
        self.keys = keys.map { Array($0.revealed.utf8) }
        allowsMissing = development
    }

    /// - Returns: a digest of the key, which identifies the caller, so that a long key takes no more
    ///   memory than others; empty without a key in development.
    package func admit(_ given: String?) throws(NewsAPIError) -> [UInt8] {
        guard let given else {
            guard allowsMissing else { throw .apiKeyMissing }
            return []
        }
        if allowsMissing, keys.isEmpty { return sha256(given.utf8) }
        let bytes = Array(given.utf8)
        // Compares all keys, so that the time does not reveal which one matched.
        var isKnown = false
        for key in keys where isEqualInConstantTime(key, bytes) { isKnown = true }
        guard isKnown else { throw .apiKeyInvalid }
        return sha256(bytes)
    }
}

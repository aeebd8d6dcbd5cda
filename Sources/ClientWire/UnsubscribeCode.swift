/// Why the hub ends a subscription while the connection stays. Causes: protocol/close-codes.md.
package struct UnsubscribeCode: Hashable, Sendable, Codable {
    package let code: UInt32
    package let reason: String

    /// Whether the client is expected to subscribe again by itself.
    package var resubscribes: Bool { code >= 2500 }

    private init(_ code: UInt32, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package static let server = UnsubscribeCode(2000, "server unsubscribe")
    package static let topicRemoved = UnsubscribeCode(2001, "topic removed")
    package static let insufficientState = UnsubscribeCode(2500, "insufficient state")
    package static let expired = UnsubscribeCode(2501, "subscription expired")
    package static let stateInvalidated = UnsubscribeCode(2502, "state invalidated")

    /// Every reason, by code.
    package static let all: [UnsubscribeCode] = [
        .server, .topicRemoved, .insufficientState, .expired, .stateInvalidated,
    ]
}

// ClientWire: the messages between clients and the hub. The Centrifuge client protocol and event
// streams, as values and state machines without I/O.

/// Why the hub ends a connection: the one list of reasons for all protocols.
///
/// The code is the one of the Centrifuge client protocol. Other protocols over WebSocket close with
/// `webSocketCode`; an event stream just ends. Causes: protocol/close-codes.md; a test compares it
/// with this list.
package struct DisconnectCode: Hashable, Sendable, Codable {
    package let code: UInt16
    /// At most 123 bytes, so that it fits a close frame (RFC 6455 §5.5).
    package let reason: String
    /// The code for WebSocket clients that support only RFC 6455 §7.4.1 and IANA's registry.
    package let webSocketCode: UInt16

    init(_ code: UInt16, _ reason: String, webSocketCode: UInt16) {
        precondition((3000...4999).contains(code))
        precondition(reason.utf8.count <= 123)
        self.code = code
        self.reason = reason
        self.webSocketCode = webSocketCode
    }

    /// A code of the application, from 3000 to 4999, with a reason of at most 123 bytes. RFC 6455 §7.4.2
    /// leaves those from 4000 on to applications.
    package init(ofApplication code: UInt16, _ reason: String) {
        self.init(code, reason, webSocketCode: code < 4000 ? 1008 : code)
    }

    /// Whether the client is expected to reconnect by itself, which follows from the range of the
    /// code.
    package var reconnects: Bool {
        switch code {
        case 3500...3999, 4500...4999: false
        default: true
        }
    }
}

extension DisconnectCode {
    package static let shutdown = DisconnectCode(3001, "shutdown", webSocketCode: 1001)
    package static let serverError = DisconnectCode(
        3004,
        "internal server error",
        webSocketCode: 1011
    )
    package static let expired = DisconnectCode(3005, "connection expired", webSocketCode: 1008)
    package static let subscriptionExpired = DisconnectCode(
        3006,
        "subscription expired",
        webSocketCode: 1008
    )
    package static let slow = DisconnectCode(3008, "slow", webSocketCode: 1013)
    package static let writeError = DisconnectCode(3009, "write error", webSocketCode: 1011)
    package static let insufficientState = DisconnectCode(
        3010,
        "insufficient state",
        webSocketCode: 1013
    )
    package static let forceReconnect = DisconnectCode(
        3011,
        "force reconnect",
        webSocketCode: 1012
    )
    package static let noPong = DisconnectCode(3012, "no pong", webSocketCode: 1008)
    package static let tooManyRequests = DisconnectCode(
        3013,
        "too many requests",
        webSocketCode: 1013
    )
    package static let stateInvalidated = DisconnectCode(
        3014,
        "state invalidated",
        webSocketCode: 1012
    )

    package static let invalidToken = DisconnectCode(3500, "invalid token", webSocketCode: 1008)
    package static let badRequest = DisconnectCode(3501, "bad request", webSocketCode: 1008)
    package static let stale = DisconnectCode(3502, "stale", webSocketCode: 1008)
    package static let forceNoReconnect = DisconnectCode(
        3503,
        "force disconnect",
        webSocketCode: 1008
    )
    package static let connectionLimit = DisconnectCode(
        3504,
        "connection limit",
        webSocketCode: 1013
    )
    package static let channelLimit = DisconnectCode(3505, "channel limit", webSocketCode: 1008)
    package static let inappropriateProtocol = DisconnectCode(
        3506,
        "inappropriate protocol",
        webSocketCode: 1003
    )
    package static let permissionDenied = DisconnectCode(
        3507,
        "permission denied",
        webSocketCode: 1008
    )
    package static let notAvailable = DisconnectCode(3508, "not available", webSocketCode: 1008)
    package static let tooManyErrors = DisconnectCode(
        3509,
        "too many errors",
        webSocketCode: 1008
    )

    /// RFC 6455 §7.4.1: 1000 "indicates a normal closure, meaning that the purpose for which the
    /// connection was established has been fulfilled".
    package static let topicRemoved = DisconnectCode(3510, "topic removed", webSocketCode: 1000)

    /// Every reason, by code.
    package static let all: [DisconnectCode] = [
        .shutdown, .serverError, .expired, .subscriptionExpired, .slow, .writeError,
        .insufficientState, .forceReconnect, .noPong, .tooManyRequests, .stateInvalidated,
        .invalidToken, .badRequest, .stale, .forceNoReconnect, .connectionLimit, .channelLimit,
        .inappropriateProtocol, .permissionDenied, .notAvailable, .tooManyErrors,
        .topicRemoved,
    ]
}

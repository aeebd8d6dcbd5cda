/// The reason why a connection was closed: the number in a Close frame, or one of the three numbers
/// for the lack of such a frame (RFC 6455 §7.4 and IANA's "WebSocket Close Code Number Registry").
///
/// Any 16-bit number can be held, because a peer can send any; `isSendable` is true for those
/// allowed in a Close frame.
package struct CloseCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let normalClosure = CloseCode(rawValue: 1000)
    package static let goingAway = CloseCode(rawValue: 1001)
    package static let protocolError = CloseCode(rawValue: 1002)
    package static let unsupportedData = CloseCode(rawValue: 1003)
    /// Never sent: stands for a Close frame without a code.
    package static let noStatusReceived = CloseCode(rawValue: 1005)
    /// Never sent: stands for a connection that ended without a Close frame.
    package static let abnormalClosure = CloseCode(rawValue: 1006)
    package static let invalidFramePayloadData = CloseCode(rawValue: 1007)
    package static let policyViolation = CloseCode(rawValue: 1008)
    package static let messageTooBig = CloseCode(rawValue: 1009)
    package static let mandatoryExtension = CloseCode(rawValue: 1010)
    package static let internalError = CloseCode(rawValue: 1011)
    package static let serviceRestart = CloseCode(rawValue: 1012)
    package static let tryAgainLater = CloseCode(rawValue: 1013)
    package static let badGateway = CloseCode(rawValue: 1014)
    /// Never sent: stands for a TLS handshake that failed.
    package static let tlsHandshake = CloseCode(rawValue: 1015)

    /// Whether the code is allowed in a Close frame, ours or the peer's.
    ///
    /// RFC 6455 §7.4.1 reserves 1004, 1005, 1006 and 1015, and §7.4.2 leaves 3000 to 3999 to
    /// libraries and 4000 to 4999 to private use. Stricter than the RFC: the numbers that no
    /// registration has named yet, 1016 to 2999, are refused.
    package var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

extension CloseCode: CustomStringConvertible {
    /// Only the number, "1000".
    package var description: String { String(rawValue) }
}

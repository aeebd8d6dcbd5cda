/// A server's error. The connection cannot be used any further.
package enum HTTPResponseParserError: Error, Equatable, Sendable {
    /// Not `HTTP-version SP status-code SP [ reason-phrase ]`.
    case statusLineMalformed
    case versionUnsupported(major: UInt8, minor: UInt8)
    case tooManyInformationalResponses(max: Int)
    /// Bytes came while no response was expected.
    case responseUnexpected
    /// The stream ended inside a response, or where one was expected.
    case streamEndedEarly
    case message(HTTPMessageError)
}

extension HTTPResponseParserError: CustomStringConvertible {
    /// The error and the value seen, free of control characters.
    package var description: String {
        switch self {
        case .statusLineMalformed: "status line malformed"
        case .versionUnsupported(let major, let minor): "version HTTP/\(major).\(minor) unsupported"
        case .tooManyInformationalResponses(let max): "number of 1xx responses over limit \(max)"
        case .responseUnexpected: "response without a request"
        case .streamEndedEarly: "stream ended before the response did"
        case .message(let error): error.description
        }
    }
}

/// A client's error, with the status of the response. The connection is closed after the response:
/// the start of the next request is unknown.
package enum HTTPRequestError: Error, Equatable, Sendable {
    /// Not `method SP request-target SP HTTP-version`.
    case requestLineMalformed
    /// A second empty line before the request line.
    case emptyLines
    case methodInvalid(String)
    case targetInvalid(String)
    case versionUnsupported(major: UInt8, minor: UInt8)
    case hostMissing
    case hostRepeated(count: Int)
    case hostInvalid(String)
    case message(HTTPMessageError)

    /// 400, 413, 414, 431, 501 or 505.
    package var status: Int {
        switch self {
        case .requestLineMalformed, .emptyLines, .methodInvalid, .targetInvalid, .hostMissing,
            .hostRepeated, .hostInvalid:
            400
        case .versionUnsupported: 505
        case .message(let error): error.status
        }
    }
}

extension HTTPMessageError {
    fileprivate var status: Int {
        switch self {
        case .bareCarriageReturn, .bareLineFeed, .controlCharacter, .lineFolding, .fieldNameMissing,
            .fieldNameInvalid, .colonMissing, .contentLengthInvalid,
            .contentLengthRepeated, .contentLengthWithTransferEncoding, .transferEncodingInvalid,
            .transferEncodingInHTTP10, .chunkSizeInvalid, .chunkSizeTooLarge, .chunkLineTooLong,
            .chunkExtensionsTooLong, .chunkNotTerminated:
            400
        case .contentTooLong: 413
        case .startLineTooLong: 414
        case .headTooLong, .trailersTooLong, .tooManyFields: 431
        case .transferCodingUnsupported: 501
        }
    }
}

extension HTTPRequestError: CustomStringConvertible {
    /// The error and the value seen, free of control characters.
    package var description: String {
        switch self {
        case .requestLineMalformed: "request line malformed"
        case .emptyLines: "more than one empty line before the request line"
        case .methodInvalid(let method): "method invalid: \(excerpt(method))"
        case .targetInvalid(let target): "request target invalid: \(excerpt(target))"
        case .versionUnsupported(let major, let minor): "version HTTP/\(major).\(minor) unsupported"
        case .hostMissing: "host field missing"
        case .hostRepeated(let count): "\(count) host fields"
        case .hostInvalid(let host): "host invalid: \(excerpt(host))"
        case .message(let error): error.description
        }
    }
}

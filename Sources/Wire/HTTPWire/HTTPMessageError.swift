/// A peer's error in the parts that requests and responses share: lines, fields and framing.
package enum HTTPMessageError: Error, Equatable, Sendable {
    case bareCarriageReturn
    case bareLineFeed
    case controlCharacter(UInt8)
    case startLineTooLong(max: Int)
    case headTooLong(max: Int)
    case trailersTooLong(max: Int)
    case tooManyFields(max: Int)

    /// A field line that starts with a space or a tab.
    case lineFolding
    case fieldNameMissing
    case fieldNameInvalid(UInt8)
    case colonMissing

    case contentLengthInvalid(String)
    case contentLengthRepeated(count: Int)
    case contentLengthWithTransferEncoding
    case transferEncodingInvalid(String)
    case transferEncodingInHTTP10
    case transferCodingUnsupported(String)
    case contentTooLong(length: Int, max: Int)

    case chunkSizeInvalid(UInt8)
    case chunkSizeTooLarge
    case chunkLineTooLong(max: Int)
    case chunkExtensionsTooLong(max: Int)
    /// Something else where the CRLF after a chunk's data belongs.
    case chunkNotTerminated(UInt8)
}

extension HTTPMessageError: CustomStringConvertible {
    /// The error and the value seen, free of control characters.
    package var description: String {
        switch self {
        case .bareCarriageReturn: "carriage return without line feed"
        case .bareLineFeed: "line feed without carriage return"
        case .controlCharacter(let byte): "control character \(hexadecimal(byte))"
        case .startLineTooLong(let max): "start line over limit \(max)"
        case .headTooLong(let max): "head over limit \(max)"
        case .trailersTooLong(let max): "trailer section over limit \(max)"
        case .tooManyFields(let max): "number of fields over limit \(max)"
        case .lineFolding: "field line begins with white space"
        case .fieldNameMissing: "field name missing"
        case .fieldNameInvalid(let byte): "byte \(hexadecimal(byte)) in field name"
        case .colonMissing: "field line without colon"
        case .contentLengthInvalid(let value): "content length invalid: \(excerpt(value))"
        case .contentLengthRepeated(let count): "\(count) content length fields"
        case .contentLengthWithTransferEncoding: "content length together with transfer encoding"
        case .transferEncodingInvalid(let value): "transfer encoding invalid: \(excerpt(value))"
        case .transferEncodingInHTTP10: "transfer encoding in HTTP/1.0"
        case .transferCodingUnsupported(let name): "transfer coding unknown: \(excerpt(name))"
        case .contentTooLong(let length, let max): "content length \(length) over limit \(max)"
        case .chunkSizeInvalid(let byte): "byte \(hexadecimal(byte)) in chunk size"
        case .chunkSizeTooLarge: "chunk size overflows"
        case .chunkLineTooLong(let max): "chunk line over limit \(max)"
        case .chunkExtensionsTooLong(let max): "chunk extensions over limit \(max)"
        case .chunkNotTerminated(let byte): "byte \(hexadecimal(byte)) after chunk data"
        }
    }
}

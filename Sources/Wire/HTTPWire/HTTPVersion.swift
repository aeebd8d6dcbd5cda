/// The version in a start line (RFC 9112 §2.3), as far as it changes what we do.
///
/// RFC 9110 §6.2: "A recipient that receives a message with a major version number that it implements
/// and a minor version number higher than what it implements SHOULD process the message as if it were
/// in the highest minor version within that major version to which the recipient is conformant."
package enum HTTPVersion: String, Sendable, Comparable {
    case http10 = "HTTP/1.0"
    case http11 = "HTTP/1.1"

    package static func < (left: HTTPVersion, right: HTTPVersion) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The result of reading an `HTTP-version` of RFC 9112 §2.3.
    enum Reading: Equatable {
        case supported(HTTPVersion)
        case unsupported(major: UInt8, minor: UInt8)
        case malformed
    }

    /// Reads `HTTP/1.1` and its like from `range` of `bytes`.
    static func read(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Reading {
        let prefix: StaticString = "HTTP/"
        let length = 8
        guard range.count == length else { return .malformed }
        for index in 0..<prefix.utf8CodeUnitCount
        where bytes[range.lowerBound + index] != prefix.utf8Start[index] {
            return .malformed
        }
        let major = bytes[range.lowerBound + 5]
        let minor = bytes[range.lowerBound + 7]
        guard major.isDigit, bytes[range.lowerBound + 6] == UInt8(ascii: "."), minor.isDigit
        else { return .malformed }
        guard major == UInt8(ascii: "1") else {
            return .unsupported(major: major - UInt8(ascii: "0"), minor: minor - UInt8(ascii: "0"))
        }
        return .supported(minor == UInt8(ascii: "0") ? .http10 : .http11)
    }
}

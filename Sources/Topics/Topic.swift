// Topics: topics, publications, history, recovery and subscriptions, as values of one event loop.

/// The name of a stream of publications, such as `aurora:tromso:alerts`.
///
/// A name is 1 to 255 bytes of visible ASCII without `,` `"` `\` `;`: it can be used unescaped in a
/// list of a URL query, a JSON string, a header and a log line.
package struct Topic: Hashable, Sendable, CustomStringConvertible {
    /// A name takes one byte of length in binary forms.
    package static let nameLengthMax = 255

    package let name: String

    /// Checks a name that came from outside.
    package init(_ name: String) throws(TopicError) {
        var name = name
        name.makeContiguousUTF8()
        let bytes = name.utf8
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= Self.nameLengthMax else { throw .tooLong(length: bytes.count) }
        for (index, byte) in bytes.enumerated() where !Self.isAllowed(byte) {
            throw .forbiddenByte(byte, index: index)
        }
        self.name = name
    }

    /// A name that our own code made, from a literal or from parts that were checked before.
    /// Traps on a name that `init(_:)` refuses.
    package init(trusted name: String) {
        do {
            self = try Topic(name)
        } catch {
            preconditionFailure("topic \(name): \(error)")
        }
    }

    /// The part before the first `:`, or the whole name if there is none.
    package var namespace: Substring {
        // By bytes, of which each is a character, and of contiguous ones: every publication and every decision asks.
        let length = name.utf8.withContiguousStorageIfAvailable {
            $0.firstIndex(of: UInt8(ascii: ":")) ?? $0.count
        }
        return name[..<name.utf8.index(name.startIndex, offsetBy: length!)]
    }

    package var description: String { name }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: ";"): false
        case 0x21...0x7E: true
        default: false
        }
    }
}

/// As its name.
extension Topic: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(container.decode(String.self))
        } catch let error as TopicError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// Why a text is not a topic.
package enum TopicError: Error, Equatable, CustomStringConvertible {
    case empty
    case tooLong(length: Int)
    case forbiddenByte(UInt8, index: Int)

    package var description: String {
        switch self {
        case .empty:
            "topic is empty"
        case .tooLong(let length):
            "topic length \(length) over limit \(Topic.nameLengthMax)"
        case .forbiddenByte(let byte, let index):
            "topic has the forbidden byte 0x\(String(byte, radix: 16)) at index \(index)"
        }
    }
}

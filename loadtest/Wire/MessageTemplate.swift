/// A message of a raw protocol with places to fill in: `SUB {channel} {number}\r\n`.
///
/// The places are `{channel}`, `{number}` (of the connection, or of the message), `{payload}` and `{length}` (of
/// the payload, in bytes). `\r`, `\n` and `\\` stand for the characters they stand for elsewhere. Any other brace
/// is itself, so JSON needs no escapes.
struct MessageTemplate: Equatable, Sendable {
    private enum Part: Equatable {
        case text([UInt8])
        case channel, number, payload, length
    }

    private var parts: [Part] = []

    private static let places: [(name: String, part: Part)] = [
        ("{channel}", .channel), ("{number}", .number), ("{payload}", .payload),
        ("{length}", .length),
    ]

    init(_ text: String) {
        var rest = MessageTemplate.unescaped(text)[...]
        var literal = ""
        while let first = rest.first {
            if let place = MessageTemplate.places.first(where: { rest.hasPrefix($0.name) }) {
                if !literal.isEmpty { parts.append(.text(Array(literal.utf8))) }
                literal = ""
                parts.append(place.part)
                rest = rest.dropFirst(place.name.count)
            } else {
                literal.append(first)
                rest = rest.dropFirst()
            }
        }
        if !literal.isEmpty { parts.append(.text(Array(literal.utf8))) }
    }

    /// Whether a message made of it carries a payload.
    var hasPayload: Bool { parts.contains(.payload) }

    func append(
        channel: String,
        number: Int,
        payload: [UInt8] = [],
        to output: inout [UInt8]
    ) {
        for part in parts {
            switch part {
            case .text(let bytes): output.append(contentsOf: bytes)
            case .channel: output.append(contentsOf: channel.utf8)
            case .number: output.append(contentsOf: String(number).utf8)
            case .payload: output.append(contentsOf: payload)
            case .length: output.append(contentsOf: String(payload.count).utf8)
            }
        }
    }

    /// `\r`, `\n` and `\\` of a command line as the characters they stand for; other pairs stay.
    static func unescaped(_ text: String) -> String {
        var result = ""
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                isEscaped = false
                switch scalar {
                case "r": result.unicodeScalars.append("\r")
                case "n": result.unicodeScalars.append("\n")
                case "\\": result.unicodeScalars.append("\\")
                default:
                    result.unicodeScalars.append("\\")
                    result.unicodeScalars.append(scalar)
                }
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return isEscaped ? result + "\\" : result
    }
}

/// A pattern that topics match as a whole: `*` is any text, `?` one byte, `[a-z5]` and `[!a-z]` one
/// byte of a set or outside it; a backslash makes the next byte literal.
///
/// Alternatives `{a,b}`, which other implementations support, are refused: a pattern with them can
/// take exponential time.
package struct TopicGlob: Sendable, Hashable, Codable {
    private enum Element: Sendable, Hashable, Codable {
        case text
        case byte(UInt8)
        case oneOf([ClosedRange<UInt8>])
        case noneOf([ClosedRange<UInt8>])

        func matches(_ byte: UInt8) -> Bool {
            switch self {
            case .text: true
            case .byte(let own): own == byte
            case .oneOf(let ranges): ranges.contains { $0.contains(byte) }
            case .noneOf(let ranges): !ranges.contains { $0.contains(byte) }
            }
        }
    }

    private let elements: [Element]

    /// Every topic.
    package static let everything = TopicGlob(elements: [.text])

    private init(elements: [Element]) {
        self.elements = elements
    }

    /// - Parameter pattern: at most as long as a topic.
    package init(_ pattern: String) throws(TopicGlobError) {
        guard pattern.utf8.count <= Topic.nameLengthMax else {
            throw .tooLong(length: pattern.utf8.count)
        }
        var elements: [Element] = []
        var rest = Array(pattern.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "*"):
                if elements.last != .text { elements.append(.text) }
            case UInt8(ascii: "?"): elements.append(.noneOf([]))
            case UInt8(ascii: "["): elements.append(try Self.set(&rest))
            case UInt8(ascii: "{"): throw .alternatives
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else { throw .unfinished }
                elements.append(.byte(next))
            default: elements.append(.byte(byte))
            }
        }
        self.elements = elements
    }

    private static func set(_ rest: inout ArraySlice<UInt8>) throws(TopicGlobError) -> Element {
        let isNegated = rest.first == UInt8(ascii: "!")
        if isNegated { rest.removeFirst() }
        var ranges: [ClosedRange<UInt8>] = []
        while true {
            guard let first = rest.popFirst() else { throw .unfinished }
            // As everywhere, a `]` that comes first is one of the set.
            if first == UInt8(ascii: "]"), !ranges.isEmpty { break }
            var last = first
            if rest.first == UInt8(ascii: "-"), rest.dropFirst().first != UInt8(ascii: "]") {
                rest.removeFirst()
                guard let end = rest.popFirst(), first <= end else { throw .unfinished }
                last = end
            }
            ranges.append(first...last)
        }
        return isNegated ? .noneOf(ranges) : .oneOf(ranges)
    }

    /// - Complexity: O(pattern · topic), both at most 255.
    package func matches(_ topic: Topic) -> Bool {
        let name = Array(topic.name.utf8)
        var position = 0
        var element = 0
        // The place of the last `*` and the end of the text that it matches. The text grows byte by
        // byte whenever the following part does not match.
        var lastText: (element: Int, end: Int)?
        while position < name.count {
            if element < elements.count, elements[element] == .text {
                lastText = (element, position)
                element += 1
            } else if element < elements.count, elements[element].matches(name[position]) {
                element += 1
                position += 1
            } else if let text = lastText {
                lastText = (text.element, text.end + 1)
                element = text.element + 1
                position = text.end + 1
            } else {
                return false
            }
        }
        return elements[element...].allSatisfy { $0 == .text }
    }
}

/// Why a text is not a pattern of topics.
package enum TopicGlobError: Error, Equatable, CustomStringConvertible {
    case tooLong(length: Int)
    /// A set without its end, a range that runs backwards, or a backslash at the end.
    case unfinished
    case alternatives

    package var description: String {
        switch self {
        case .tooLong(let length): "\(length) bytes over limit \(Topic.nameLengthMax)"
        case .unfinished: "a set, a range or an escape is not finished"
        case .alternatives: "alternatives in braces are not supported"
        }
    }
}

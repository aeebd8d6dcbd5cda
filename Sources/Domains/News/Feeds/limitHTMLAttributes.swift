/// Removes all attributes of an element beyond the first `countMax`.
///
/// libxml2 2.9 compares each attribute of an element with all others, so an element of 1 MB takes
/// minutes. The scanner reads start tags exactly as libxml2's `htmlParseStartElement` does, and
/// replaces the first byte of the name of each further attribute by a slash: libxml2 skips such a
/// name up to the next white space.
func limitHTMLAttributes(of bytes: inout [UInt8], countMax: Int) {
    precondition(countMax > 0)
    var scanner = HTMLTagScanner(countMax: countMax)
    var index = 0
    bytes.withUnsafeMutableBytes { bytes in
        while index < bytes.count {
            if scanner.isOutsideTags {
                index = ByteSearch.index(
                    of: UInt8(ascii: "<"),
                    in: UnsafeRawBufferPointer(bytes),
                    from: index
                )
                guard index < bytes.count else { return }
            }
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            if scanner.isOverLimit(at: bytes[index]) { bytes[index] = UInt8(ascii: "/") }
            scanner.read(bytes[index], next: next)
            index += 1
        }
    }
}

/// The start tags that may be open at a byte.
///
/// Whether a `<` begins a tag depends on its context: a comment, a script, a quoted value. So every
/// `<` before a letter begins one here, and all tags that may be open are read at the same time.
/// They differ only in their states, so the scanner keeps the largest count of attributes for each
/// state. It counts no fewer attributes than libxml2 sees, in linear time.
private struct HTMLTagScanner {
    private enum State: Int, CaseIterable {
        case tagName, beforeName, name, afterName, beforeValue, unquoted, doubleQuoted
        case singleQuoted, bogus
    }

    private static let none = -1
    private let countMax: Int
    /// By state; `none` if no open tag is in it.
    private var counts = [Int](repeating: none, count: State.allCases.count)
    private var spare = [Int](repeating: none, count: State.allCases.count)
    private(set) var isOutsideTags = true

    init(countMax: Int) { self.countMax = countMax }

    /// Whether the byte begins the name of an attribute that is one too many.
    func isOverLimit(at byte: UInt8) -> Bool {
        guard !isOutsideTags, HTMLTagScanner.isNameStart(byte) else { return false }
        return counts[State.beforeName.rawValue] >= countMax
            || counts[State.afterName.rawValue] >= countMax
    }

    mutating func read(_ byte: UInt8, next: UInt8) {
        for index in spare.indices { spare[index] = HTMLTagScanner.none }
        isOutsideTags = true
        let isEmptyEnd = byte == UInt8(ascii: "/") && next == UInt8(ascii: ">")
        for state in State.allCases {
            let count = counts[state.rawValue]
            guard count != HTMLTagScanner.none,
                let following = HTMLTagScanner.following(state, byte, isEmptyEnd: isEmptyEnd)
            else { continue }
            let isNewName =
                following == .name && (state == .beforeName || state == .afterName)
            keep(following, isNewName ? count + 1 : count)
        }
        if byte == UInt8(ascii: "<"), HTMLTagScanner.isNameStart(next) { keep(.tagName, 0) }
        swap(&counts, &spare)
    }

    private mutating func keep(_ state: State, _ count: Int) {
        isOutsideTags = false
        spare[state.rawValue] = max(spare[state.rawValue], count)
    }

    /// Nil at the end of the tag.
    private static func following(_ state: State, _ byte: UInt8, isEmptyEnd: Bool) -> State? {
        switch state {
        case .doubleQuoted: return byte == UInt8(ascii: "\"") ? .beforeName : state
        case .singleQuoted: return byte == UInt8(ascii: "'") ? .beforeName : state
        default: break
        }
        if byte == UInt8(ascii: ">") { return nil }
        if isEmptyEnd, state != .unquoted, state != .beforeValue { return nil }
        switch state {
        case .tagName:
            if isName(byte) { return .tagName }
            return isSpace(byte) ? .beforeName : .bogus
        case .name:
            if isName(byte) { return .name }
            return betweenNames(byte, space: .afterName)
        case .afterName: return betweenNames(byte, space: .afterName)
        case .beforeName:
            if isSpace(byte) { return .beforeName }
            return isNameStart(byte) ? .name : .bogus
        case .beforeValue:
            if isSpace(byte) { return .beforeValue }
            if byte == UInt8(ascii: "\"") { return .doubleQuoted }
            return byte == UInt8(ascii: "'") ? .singleQuoted : .unquoted
        case .unquoted, .bogus: return isSpace(byte) ? .beforeName : state
        case .doubleQuoted, .singleQuoted: return state
        }
    }

    private static func betweenNames(_ byte: UInt8, space: State) -> State {
        if isSpace(byte) { return space }
        if byte == UInt8(ascii: "=") { return .beforeValue }
        return isNameStart(byte) ? .name : .bogus
    }

    private static func isNameStart(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
            || byte == UInt8(ascii: ".")
    }

    private static func isName(_ byte: UInt8) -> Bool {
        isNameStart(byte) || isDigit(byte) || byte == UInt8(ascii: "-")
    }
}

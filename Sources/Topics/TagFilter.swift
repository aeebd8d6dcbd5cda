/// A subscriber's filter of a topic's publications by their tags.
///
/// - A tag that is missing is not equal to any text, does not exist, and is neither less nor
///   greater than a number. In a list it counts as the empty text.
/// - Texts are compared by their bytes: two spellings of one accented letter differ, as they do for
///   clients in other languages.
/// - Numbers are decimal texts, see `DecimalText`, compared exactly. If either side is not a
///   number, the comparison is false, in both directions.
///
/// Code that makes a filter from outside bytes must limit its depth and its number of nodes:
/// `matches` visits every node at most once and recurses into them.
package indirect enum TagFilter: Hashable, Sendable {
    case compare(key: String, Comparison)
    /// Every one of them matches; also when there is none.
    case all([TagFilter])
    /// At least one of them matches.
    case any([TagFilter])
    case not(TagFilter)

    /// The condition on one tag.
    package enum Comparison: Hashable, Sendable {
        case equal(String)
        case notEqual(String)
        case isIn([String])
        case isNotIn([String])
        case exists
        case doesNotExist
        case hasPrefix(String)
        case hasSuffix(String)
        case contains(String)
        case lessThan(String)
        case lessOrEqual(String)
        case greaterThan(String)
        case greaterOrEqual(String)
    }

    /// - Complexity: O(nodes of the filter + bytes compared), without an allocation. `contains`
    ///   takes the product of the two lengths at worst.
    package func matches(_ tags: [String: String]) -> Bool {
        switch self {
        case .compare(let key, let comparison): comparison.holds(for: tags[key])
        case .all(let filters): filters.allSatisfy { $0.matches(tags) }
        case .any(let filters): filters.contains { $0.matches(tags) }
        case .not(let filter): !filter.matches(tags)
        }
    }
}

extension TagFilter.Comparison {
    /// - Parameter tag: nil when it is missing.
    func holds(for tag: String?) -> Bool {
        switch self {
        case .equal(let text): tag.map { hasSameBytes($0, text) } ?? false
        case .notEqual(let text): tag.map { !hasSameBytes($0, text) } ?? true
        case .isIn(let texts): texts.contains { hasSameBytes(tag ?? "", $0) }
        case .isNotIn(let texts): !texts.contains { hasSameBytes(tag ?? "", $0) }
        case .exists: tag != nil
        case .doesNotExist: tag == nil
        case .hasPrefix(let text): tag?.utf8.starts(with: text.utf8) ?? false
        case .hasSuffix(let text): tag?.utf8.reversed().starts(with: text.utf8.reversed()) ?? false
        case .contains(let text): tag.map { contains($0, text) } ?? false
        case .lessThan(let limit): compare(tag, limit, <)
        case .lessOrEqual(let limit): compare(tag, limit, <=)
        case .greaterThan(let limit): compare(tag, limit, >)
        case .greaterOrEqual(let limit): compare(tag, limit, >=)
        }
    }

    /// `==` of strings takes canonically equivalent ones for the same.
    private func hasSameBytes(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8)
    }

    private func contains(_ text: String, _ part: String) -> Bool {
        var rest = text.utf8[...]
        while rest.count >= part.utf8.count {
            if rest.starts(with: part.utf8) { return true }
            guard rest.popFirst() != nil else { return false }
        }
        return false
    }

    private func compare(
        _ tag: String?,
        _ limit: String,
        _ holds: (DecimalText, DecimalText) -> Bool
    ) -> Bool {
        guard let tag, let number = DecimalText(tag), let limit = DecimalText(limit) else {
            return false
        }
        return holds(number, limit)
    }
}

/// A number as it is written in decimal digits, such as `5`, `-0.25`, `+10.0`: an optional sign,
/// digits, and an optional point with digits after it. Nothing else: no exponent, no spaces, no
/// `.5`, no `5.`.
///
/// Exact: a value that a Double would round is unchanged.
struct DecimalText: Equatable, Comparable {
    /// Longer texts are no numbers, for a comparison costs their length.
    static let lengthMax = 200
    /// Without leading zeros: the number of digits that 128 bits can always hold.
    static let wholeDigitsMax = 38
    /// The number of digits that 64 bits can always hold.
    static let fractionDigitsMax = 19

    /// False for zero.
    private var isNegative = false
    private var whole: UInt128 = 0
    /// In units of the last digit that there may be.
    private var fraction: UInt64 = 0

    init?(_ text: String) {
        guard text.utf8.count <= Self.lengthMax else { return nil }
        var rest = text.utf8.makeIterator()
        var next = rest.next()
        let hasMinus = next == UInt8(ascii: "-")
        if hasMinus || next == UInt8(ascii: "+") { next = rest.next() }
        guard next.flatMap(Self.digit) != nil else { return nil }
        var digitCount = 0
        while let digit = next.flatMap(Self.digit) {
            if whole > 0 || digit > 0 { digitCount += 1 }
            guard digitCount <= Self.wholeDigitsMax else { return nil }
            whole = whole * 10 + UInt128(digit)
            next = rest.next()
        }
        if next == UInt8(ascii: ".") {
            digitCount = 0
            next = rest.next()
            while let digit = next.flatMap(Self.digit), digitCount < Self.fractionDigitsMax {
                fraction = fraction * 10 + UInt64(digit)
                digitCount += 1
                next = rest.next()
            }
            guard digitCount > 0 else { return nil }
            for _ in digitCount..<Self.fractionDigitsMax { fraction *= 10 }
        }
        guard next == nil else { return nil }
        isNegative = hasMinus && (whole > 0 || fraction > 0)
    }

    static func < (one: DecimalText, other: DecimalText) -> Bool {
        guard one.isNegative == other.isNegative else { return one.isNegative }
        let (less, more) = one.isNegative ? (other, one) : (one, other)
        return less.whole < more.whole || less.whole == more.whole && less.fraction < more.fraction
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        let digit = byte &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }
}

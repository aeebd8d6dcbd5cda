import FuzzKit
import Topics

extension FuzzTarget {
    static let pubSubTargets = [
        FuzzTarget("fossil-delta-apply", lengthMax: 1024, dictionary: "fossil") {
            try checkApply($0)
        },
        FuzzTarget("fossil-delta-encode", lengthMax: 2048, dictionary: "json") {
            try checkEncode($0)
        },
        FuzzTarget("tag-filter", lengthMax: 450, dictionary: "json") { try checkFilter($0) },
    ]
}

/// An origin and, behind the first byte of 1, a delta: a target within the limit, or an error. The same
/// target is made by our own delta, too.
private func checkApply(_ bytes: [UInt8]) throws {
    let (origin, delta) = halves(of: bytes)
    let lengthMax = 4096
    let target: [UInt8]
    do throws(FossilDeltaError) {
        target = try FossilDelta.apply(delta, to: origin, lengthMax: lengthMax)
    } catch {
        return try checkDescription(error.description)
    }
    try expect(target.count <= lengthMax, "\(target.count) bytes")
    try checkRoundTrip(origin, target)
}

/// An origin and a target: a delta that makes the one of the other.
private func checkEncode(_ bytes: [UInt8]) throws {
    let (origin, target) = halves(of: bytes)
    try checkRoundTrip(origin, target)
    try checkRoundTrip(target, origin)
    // Origins over a few hundred bytes and repetitions are not what a fuzzer comes upon by itself.
    let long = (0..<4).flatMap { _ in origin }
    try checkRoundTrip(long, target + origin + target)
}

private func checkRoundTrip(_ origin: [UInt8], _ target: [UInt8]) throws {
    let delta = FossilDelta.encode(from: origin, to: target)
    try expect(delta.count <= target.count + 21, "\(delta.count) bytes for \(target.count)")
    let made = try FossilDelta.apply(delta, to: origin, lengthMax: target.count)
    try expect(made == target, "\(origin) and \(delta) make \(made), not \(target)")
}

/// A tag and what it is compared to: the comparisons agree with each other, and with plainer ones.
private func checkFilter(_ bytes: [UInt8]) throws {
    let (first, second) = halves(of: bytes)
    let tag = String(decoding: first, as: UTF8.self)
    let text = String(decoding: second, as: UTF8.self)
    let holds = { (tag: String, comparison: TagFilter.Comparison) in
        TagFilter.compare(key: "k", comparison).matches(["k": tag])
    }
    let tagBytes = Array(tag.utf8)
    let textBytes = Array(text.utf8)
    try expect(holds(tag, .equal(text)) == (tagBytes == textBytes), "equal")
    try expect(holds(tag, .notEqual(text)) == (tagBytes != textBytes), "not equal")
    try expect(holds(tag, .isIn([text])) == (tagBytes == textBytes), "in")
    try expect(holds(tag, .hasPrefix(text)) == tagBytes.starts(with: textBytes), "prefix")
    let ends = Array(tagBytes.suffix(textBytes.count)) == textBytes
    try expect(holds(tag, .hasSuffix(text)) == ends, "suffix")
    let starts = tagBytes.indices.contains { tagBytes[$0...].starts(with: textBytes) }
    try expect(holds(tag, .contains(text)) == (starts || textBytes.isEmpty), "contains")

    let isLess = holds(tag, .lessThan(text))
    let isGreater = holds(tag, .greaterThan(text))
    let isLessOrEqual = holds(tag, .lessOrEqual(text))
    let isGreaterOrEqual = holds(tag, .greaterOrEqual(text))
    try expect(isLess == holds(text, .greaterThan(tag)), "the other way round")
    try expect(isLessOrEqual == holds(text, .greaterOrEqual(tag)), "the other way round")
    guard isLess || isGreater || isLessOrEqual || isGreaterOrEqual else { return }
    try expect(isLess != isGreaterOrEqual, "less and not less")
    try expect(isGreater != isLessOrEqual, "greater and not greater")
    guard let number = Double(tag), let limit = Double(text) else {
        throw Violation(description: "\(tag) and \(text) are no numbers")
    }
    // Rounding can make numbers the same, but can't change their order.
    try expect(isLess ? number <= limit : number >= limit, "\(tag), \(text)")
}

/// What stands before the first byte of 1, and what stands behind it.
private func halves(of bytes: [UInt8]) -> (first: [UInt8], second: [UInt8]) {
    let halves = bytes.split(separator: 1, maxSplits: 1, omittingEmptySubsequences: false)
    return (Array(halves[0]), halves.count > 1 ? Array(halves[1]) : [])
}

/// Rules by their topics, so that finding those of a topic does not take longer because there are
/// many others.
package struct AlertRuleIndex: Sendable {
    private var rules: [String: [AlertRuleKey: AlertRule]] = [:]
    /// The number of patterns of each length, without the `*`.
    private var patternLengths: [Int: Int] = [:]
    /// The number of rules of one topic, by the length of its name.
    private var nameLengths: [Int: Int] = [:]

    package init(_ rules: [AlertRule] = []) {
        for rule in rules { insert(rule) }
    }

    package var isEmpty: Bool { rules.isEmpty }

    /// The rule must not be there yet.
    package mutating func insert(_ rule: AlertRule) {
        let former = rules[rule.topics, default: [:]].updateValue(rule, forKey: rule.key)
        assert(former == nil, "inserted twice: \(rule.key)")
        if let length = Self.patternLength(rule) {
            patternLengths[length, default: 0] += 1
        } else {
            nameLengths[rule.topics.utf8.count, default: 0] += 1
        }
    }

    /// The rule must be there.
    package mutating func remove(_ rule: AlertRule) {
        let former = rules[rule.topics]?.removeValue(forKey: rule.key)
        assert(former != nil, "removed twice: \(rule.key)")
        if rules[rule.topics]?.isEmpty == true { rules[rule.topics] = nil }
        if let length = Self.patternLength(rule) {
            Self.subtractOne(from: &patternLengths[length])
        } else {
            Self.subtractOne(from: &nameLengths[rule.topics.utf8.count])
        }
    }

    private static func subtractOne(from count: inout Int?) {
        count = count.flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// Whether any rule applies to a topic.
    ///
    /// Complexity: O(parts of the name).
    package func hasRules(for topic: Topic) -> Bool {
        !isEmpty && names(for: topic).contains { rules[$0] != nil }
    }

    /// The rules for a topic, in no order.
    ///
    /// Complexity: O(parts of the name + rules found).
    package func rules(for topic: Topic) -> [AlertRule] {
        guard !isEmpty else { return [] }
        return names(for: topic).flatMap { name in rules[name].map { Array($0.values) } ?? [] }
    }

    /// The possible `topics` of a rule for this topic.
    private func names(for topic: Topic) -> [String] {
        let name = topic.name
        guard name.utf8.count <= AlertRule.topicBytesMax else { return [] }
        // Lengths first: every publication asks, and most have no rule. A topic may itself end with the
        // `*` that makes a pattern.
        let mayBeOfOne = nameLengths[name.utf8.count] != nil && name.utf8.last != UInt8(ascii: "*")
        var names = mayBeOfOne ? [name] : []
        if patternLengths.isEmpty { return names }
        if patternLengths[0] != nil { names.append("*") }
        for (offset, byte) in name.utf8.enumerated()
        where byte == UInt8(ascii: ":") && patternLengths[offset + 1] != nil {
            names.append(name.prefix(offset + 1) + "*")
        }
        return names
    }

    /// Nil for a rule of one topic.
    private static func patternLength(_ rule: AlertRule) -> Int? {
        rule.topics.hasSuffix("*") ? rule.topics.utf8.count - 1 : nil
    }
}

import PubSub

/// Rules by their topics, so that finding those of a topic does not take longer because there are
/// many others.
package struct AlertRuleIndex: Sendable {
    private var rules: [String: [AlertRuleKey: AlertRule]] = [:]
    /// The number of patterns of each length, without the `*`.
    private var patternLengths: [Int: Int] = [:]

    package init(_ rules: [AlertRule] = []) {
        for rule in rules { insert(rule) }
    }

    package var isEmpty: Bool { rules.isEmpty }

    /// The rule must not be there yet.
    package mutating func insert(_ rule: AlertRule) {
        let former = rules[rule.topics, default: [:]].updateValue(rule, forKey: rule.key)
        assert(former == nil, "inserted twice: \(rule.key)")
        if let length = Self.patternLength(rule) { patternLengths[length, default: 0] += 1 }
    }

    /// The rule must be there.
    package mutating func remove(_ rule: AlertRule) {
        let former = rules[rule.topics]?.removeValue(forKey: rule.key)
        assert(former != nil, "removed twice: \(rule.key)")
        if rules[rule.topics]?.isEmpty == true { rules[rule.topics] = nil }
        guard let length = Self.patternLength(rule), let count = patternLengths[length] else {
            return
        }
        patternLengths[length] = count > 1 ? count - 1 : nil
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
        // A topic may itself end with the `*` that makes a pattern.
        var names = name.utf8.last == UInt8(ascii: "*") ? [] : [name]
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

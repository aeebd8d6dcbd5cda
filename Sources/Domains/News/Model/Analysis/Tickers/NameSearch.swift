/// Finds names of companies in the words of a text.
struct NameSearch {
    private(set) var companies: [(Ticker, TickerMention.Evidence)] = []

    private let words: [TextWord]
    private let table: CompanyTable
    private let hasBusiness: Bool
    /// With the actions of companies that people and things do not have, and with kinds of them.
    private let isAboutBusiness: Bool
    private let vocabulary: Set<String>

    init(words: [TextWord], table: CompanyTable) {
        self.words = words
        self.table = table
        vocabulary = Set(words.map(\.folded))
        hasBusiness = !vocabulary.isDisjoint(with: FinanceContext.nouns)
        isAboutBusiness =
            hasBusiness || !vocabulary.isDisjoint(with: FinanceContext.legalForms)
            || !vocabulary.isDisjoint(with: FinanceContext.roles)
            || !vocabulary.isDisjoint(with: FinanceContext.matters)
            || !vocabulary.isDisjoint(
                with: FinanceContext.verbs.subtracting(FinanceContext.weakVerbs)
            )
        search()
    }

    private mutating func search() {
        let matches = candidates()
        var accepted = matches.map { match in
            let name = table.names[match.value]
            if name.needsContext { return hasContext(match.range, name.text) }
            return !name.needsBusiness || isAboutBusiness
        }
        // A company next to another one: `Visa, MasterCard settle`.
        for index in matches.indices where !accepted[index] && hasBusiness {
            let name = table.names[matches[index].value].text
            guard !isBlocked(matches[index].range, name) else { continue }
            let isBeside = [index - 1, index + 1].contains { other in
                matches.indices.contains(other) && accepted[other]
                    && areBeside(matches[min(index, other)].range, matches[max(index, other)].range)
            }
            if isBeside { accepted[index] = true }
        }
        for (index, match) in matches.enumerated() where accepted[index] {
            let name = table.names[match.value]
            companies.append((name.ticker, name.needsContext ? .nameInContext : .name))
        }
    }

    /// Matches of both spellings of possessives, with capital letters where names have them.
    private func candidates() -> [WordAutomaton.Match] {
        let all =
            table.automaton.matches(in: words.map(\.folded))
            + table.automaton.matches(in: words.map(\.joined))
        let ordered = all.sorted {
            ($0.range.lowerBound, -$0.range.count, $0.value)
                < ($1.range.lowerBound, -$1.range.count, $1.value)
        }
        var chosen: [WordAutomaton.Match] = []
        for match in ordered
        where match.range.lowerBound >= chosen.last?.range.upperBound ?? 0
            && isCapitalised(match)
        {
            chosen.append(match)
        }
        return chosen
    }

    /// Names of two or three letters are abbreviations, except those that are words.
    private func isCapitalised(_ match: WordAutomaton.Match) -> Bool {
        let range = match.range
        let first = words[range.lowerBound].original
        if range.count == 1, first.utf8.count <= 3,
            !table.names[match.value].needsContext || first.utf8.count < 3
        {
            return words[range.lowerBound].isUppercase || first.contains("&")
        }
        return range.allSatisfy { index in
            let word = words[index]
            return word.hasUppercase || ["and", "of", "the"].contains(word.folded)
                || word.original.first?.isNumber == true
                || (index > range.lowerBound && word.folded == "com")
        }
    }

    private func areBeside(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        switch other.lowerBound - one.upperBound {
        case 0: true
        case 1: ["and", "vs", "versus", "or"].contains(words[one.upperBound].folded)
        default: false
        }
    }

    private func isBlocked(_ range: Range<Int>, _ name: String) -> Bool {
        if let next = word(at: range.upperBound), !next.isAfterComma,
            FinanceContext.blockedAfter[name]?.contains(next.folded) == true
        {
            return true
        }
        guard let previous = word(at: range.lowerBound - 1) else { return false }
        if FinanceContext.blockedBefore[name]?.contains(previous.folded) == true { return true }
        // `Harrison Ford`: another name goes on.
        return !words[range.lowerBound].isFirst && !words[range.lowerBound].isAfterComma
            && previous.hasUppercase && previous.original.first?.isNumber != true
            && !FinanceContext.functionWords.contains(previous.folded)
            && !FinanceContext.roles.contains(previous.folded)
            && !FinanceContext.nouns.contains(previous.folded)
            && !FinanceContext.verbs.contains(previous.folded)
    }

    private func hasContext(_ range: Range<Int>, _ name: String) -> Bool {
        guard !isBlocked(range, name) else { return false }
        if let hints = FinanceContext.hints[name], !hints.isDisjoint(with: vocabulary) {
            return true
        }
        if range.count > 1, hasBusiness { return true }
        if let next = word(at: range.upperBound), !next.isAfterComma, !next.isFirst {
            let isStrong =
                FinanceContext.legalForms.contains(next.folded)
                || FinanceContext.nouns.contains(next.folded)
                || FinanceContext.verbs.contains(next.folded)
                    && (hasBusiness || !FinanceContext.weakVerbs.contains(next.folded))
            if isStrong { return true }
        }
        guard let previous = word(at: range.lowerBound - 1), !words[range.lowerBound].isFirst else {
            return false
        }
        if FinanceContext.roles.contains(previous.folded) { return true }
        let before = word(at: range.lowerBound - 2)?.folded ?? ""
        return ["of", "at", "in", "for", "from", "by"].contains(previous.folded)
            && FinanceContext.nouns.contains(before)
    }

    private func word(at index: Int) -> TextWord? {
        words.indices.contains(index) ? words[index] : nil
    }
}

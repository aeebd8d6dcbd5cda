/// Finds names of companies in the words of a text.
struct NameSearch {
    private(set) var companies: [(Ticker, TickerMention.Evidence)] = []

    private let words: [TextWord]
    private let table: CompanyTable
    private let hasBusiness: Bool
    /// With the actions of companies that people and things do not have, and with kinds of them.
    private let isAboutBusiness: Bool
    private let vocabulary: Set<String>
    private let surroundings: NameSurroundings

    init(words: [TextWord], table: CompanyTable) {
        self.words = words
        self.table = table
        surroundings = NameSurroundings(words: words)
        vocabulary = Set(words.map(\.folded))
        hasBusiness =
            !vocabulary.isDisjoint(with: FinanceContext.nouns)
            || !vocabulary.isDisjoint(with: FinanceContext.affairs)
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
        let matches = candidates().filter { match in
            let name = table.names[match.value]
            return !surroundings.isOtherName(match.range)
                && !(name.isLittleKnown && surroundings.isPartOfName(match.range))
        }
        var accepted = matches.map { match in
            let name = table.names[match.value]
            if name.needsContext { return hasContext(match.range, name.text) }
            return !name.needsBusiness || isAboutBusiness || hasHint(name.text)
                || hasVerb(match.range, isStrong: name.isNamesake)
        }
        // A company next to another one: `Visa, MasterCard settle`.
        for index in matches.indices where !accepted[index] {
            let name = table.names[matches[index].value]
            guard isAboutBusiness || !name.needsContext, !isBlocked(matches[index].range, name.text)
            else { continue }
            let isBeside = [index - 1, index + 1].contains { other in
                matches.indices.contains(other) && accepted[other]
                    && areBeside(matches[min(index, other)].range, matches[max(index, other)].range)
            }
            if isBeside { accepted[index] = true }
        }
        for (index, match) in matches.enumerated().dropLast() where arePair(matches, index) {
            let next = matches[index + 1]
            let areBlocked =
                isBlocked(match.range, table.names[match.value].text)
                || isBlocked(next.range, table.names[next.value].text)
            if !areBlocked { (accepted[index], accepted[index + 1]) = (true, true) }
        }
        for (index, match) in matches.enumerated() where accepted[index] {
            let name = table.names[match.value]
            companies.append((name.ticker, name.needsContext ? .nameInContext : .name))
        }
    }

    /// Two names that do together what companies do: `Dell and HP raise prices`.
    private func arePair(_ matches: [WordAutomaton.Match], _ index: Int) -> Bool {
        let (one, other) = (matches[index], matches[index + 1])
        guard isAboutBusiness, table.names[one.value].ticker != table.names[other.value].ticker,
            areBeside(one.range, other.range), let verb = word(at: other.range.upperBound)
        else { return false }
        return FinanceContext.pluralVerbs.contains(verb.folded)
    }

    private func hasHint(_ name: String) -> Bool {
        FinanceContext.hints[name].map { !$0.isDisjoint(with: vocabulary) } ?? false
    }

    /// Whether the name is the subject of an action.
    ///
    /// - Parameter isStrong: whether the action has to be one that people and things do not have.
    private func hasVerb(_ range: Range<Int>, isStrong: Bool) -> Bool {
        if hasHead(range) { return true }
        guard let next = word(at: range.upperBound), !next.isAfterComma, !next.isFirst else {
            return false
        }
        return FinanceContext.verbs.contains(next.folded)
            && !(isStrong && FinanceContext.weakVerbs.contains(next.folded))
    }

    /// Whether the name is followed by the head of a company, or by what only companies plan.
    private func hasHead(_ range: Range<Int>) -> Bool {
        guard let next = word(at: range.upperBound), !next.isAfterComma, !next.isFirst else {
            return false
        }
        if next.folded == "to", let verb = word(at: range.upperBound + 1) {
            return FinanceContext.infinitives.contains(verb.folded)
        }
        return FinanceContext.heads.contains(next.folded)
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
            return words[range.lowerBound].isShortUppercase || first.contains("&")
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
            && FinanceContext.hints[name]?.contains(previous.folded) != true
            && !FinanceContext.functionWords.contains(previous.folded)
            && !FinanceContext.roles.contains(previous.folded)
            && !FinanceContext.nouns.contains(previous.folded)
            && !FinanceContext.verbs.contains(previous.folded)
    }

    private func hasContext(_ range: Range<Int>, _ name: String) -> Bool {
        guard !isBlocked(range, name) else { return false }
        if hasHint(name) || hasHead(range) { return true }
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
        if previous.folded == "at", isAboutBusiness { return true }
        let before = word(at: range.lowerBound - 2)?.folded ?? ""
        return ["of", "at", "in", "for", "from", "by"].contains(previous.folded)
            && FinanceContext.nouns.contains(before)
    }

    private func word(at index: Int) -> TextWord? {
        words.indices.contains(index) ? words[index] : nil
    }
}

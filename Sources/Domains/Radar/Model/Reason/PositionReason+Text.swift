extension PositionReason {
    /// One sentence, such as "Three new opinions against, two sources changed their mind."
    ///
    /// - Parameter code: of a language in `ReasonLanguage.all`; nil for others.
    package func text(in code: String) -> String? {
        ReasonLanguage.all.first { $0.code == code }.map(text)
    }

    private func text(_ language: ReasonLanguage) -> String {
        let changes = [
            (changedSources, language.changedSources), (changedAuthors, language.changedAuthors),
            (replacedSources, language.replacedSources), (newVoices, language.newVoices),
        ]
        var parts = [opinions(language)].compactMap { $0 }
        parts += changes.filter { $0.0 > 0 }.map { language.phrase($1, $0) }
        if parts.isEmpty { parts = [language.expired] }
        let sentence = parts.joined(separator: ", ")
        return sentence.prefix(1).uppercased() + sentence.dropFirst() + "."
    }

    /// For a side, the opinions for it; for `neutral`, those of all stances.
    private func opinions(_ language: ReasonLanguage) -> String? {
        if position != .neutral {
            let count = newOpinions[position]
            guard count > 0 else { return nil }
            return language.phrase(language.newOpinions, count)
                .replacing("{stance}", with: language.word(position, count))
        }
        guard newOpinions.total > 0 else { return nil }
        let list = Stance.allCases.filter { newOpinions[$0] > 0 }.map {
            "\(language.number(newOpinions[$0])) \(language.word($0, newOpinions[$0]))"
        }
        return language.phrase(language.newOpinionsOfStances, newOpinions.total)
            .replacing("{list}", with: list.joined(separator: ", "))
    }

    /// An object with one sentence for each language.
    func writeTexts(to json: inout JSONWriter) {
        for language in ReasonLanguage.all { json.field(language.code, text(language)) }
    }
}

extension ReasonLanguage {
    func word(_ stance: Stance, _ count: Int) -> String {
        let words =
            switch stance {
            case .for: self.for
            case .against: against
            case .neutral: neutral
            }
        return count == 1 ? words.one : words.many
    }

    func number(_ count: Int) -> String {
        numbers.indices.contains(count) ? numbers[count] : String(count)
    }

    func phrase(_ plural: Plural, _ count: Int) -> String {
        (count == 1 ? plural.one : plural.many).replacing("{n}", with: number(count))
    }
}

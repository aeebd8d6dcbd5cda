/// Whether a text reports something good or bad for the owners of its subject, or for the economy.
package struct Opportunity: Equatable, Sendable {
    /// In the words of signals; personalised signals call `none` `neutral`.
    package enum Kind: String, CaseIterable, Sendable {
        case none, positive, negative

        package var personalised: String { self == .none ? "neutral" : rawValue }
    }

    package let kind: Kind
    /// The words that decided: `Positive words: beats, record`. Empty for `none`.
    package let note: String

    /// The weight by which one side has to be ahead: one word of a title, or two of a text.
    package static let marginMin = 2
    /// Of all weight, the part by which one side has to be ahead. Texts with both are neutral.
    package static let marginShareMin = 1.0 / 3
    package static let noteWordsMax = 5

    /// One that was found before.
    package init(kind: Kind, note: String) {
        self.kind = kind
        self.note = note
    }

    /// The opportunity of an article: of a company's if it names one, and otherwise only of the
    /// economy's. Deaths and temperatures also rise and fall.
    package init(title: String, text: String, relevance: RelevanceType, namesCompany: Bool) {
        if namesCompany {
            self.init(title: title, text: text)
        } else if relevance == .macro {
            self.init(title: title, lexicon: .economy)
        } else {
            self.init(kind: .none, note: "")
        }
    }

    /// Words of a title count double.
    package init(title: String, text: String = "") {
        self.init(title: title, text: text, lexicon: .company)
    }

    private init(title: String, text: String = "", lexicon: SentimentLexicon) {
        var weights: [Kind: Int] = [:]
        var words: [Kind: [String]] = [:]
        let parts = [(title[...], 2), (text.prefix(EventLexicon.textLengthMax), 1)]
        for (part, weight) in parts {
            for (kind, word) in SentimentReading.statements(
                of: TextWord.words(of: part),
                lexicon
            ) {
                weights[kind, default: 0] += weight
                if words[kind]?.contains(word) != true { words[kind, default: []].append(word) }
            }
        }
        let positive = weights[.positive] ?? 0
        let negative = weights[.negative] ?? 0
        let margin = abs(positive - negative)
        let isClear =
            margin >= Opportunity.marginMin
            && Double(margin) >= Opportunity.marginShareMin * Double(positive + negative)
        kind = isClear ? (positive > negative ? .positive : .negative) : .none
        let named = (words[kind] ?? []).prefix(Opportunity.noteWordsMax).joined(separator: ", ")
        switch kind {
        case .none: note = ""
        case .positive: note = "Positive words: \(named)"
        case .negative: note = "Negative words: \(named)"
        }
    }
}

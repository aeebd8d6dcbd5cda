import Providers

/// What can be said of a topic from its words alone, where no model is asked: English word lists, and
/// `other` and `neutral` for what they do not know. The source is `lexical`.
package func lexicalInterpretation(of topic: String) -> Interpretation {
    let words = words(of: topic)
    let counts = categoryWords.map { category, list in
        (category: category, count: words.count { isAny($0, of: list) })
    }
    // Of two that are as frequent, the one that stands first in the list.
    let countMax = counts.map(\.count).max() ?? 0
    let best = countMax > 0 ? counts.first { $0.count == countMax } : nil
    return Interpretation(
        text: OutsideText.kept(topic, bytesMax: RadarLimits.contentBytesMax) ?? topic,
        category: best?.category ?? "other",
        tags: tags(of: words),
        sentiment: sentiment(of: words),
        source: Interpretation.lexicalSource
    )
}

/// Lower case, in their order: letters, digits, and hyphens and apostrophes between them.
private func words(of topic: String) -> [String] {
    topic.lowercased()
        .split { !($0.isLetter || $0.isNumber || "-'’".contains($0)) }
        .compactMap {
            OutsideText.keptName(trimmedPunctuation($0), lengthMax: Interpretation.tagLengthMax)
        }
}

private func trimmedPunctuation(_ word: Substring) -> String {
    var word = word
    while let last = word.last, !(last.isLetter || last.isNumber) { word.removeLast() }
    return String(word.drop { !($0.isLetter || $0.isNumber) })
}

/// The first words that mean something, each once.
private func tags(of words: [String]) -> [String] {
    let lengthMin = 3
    var tags: [String] = []
    for word in words where word.count >= lengthMin && !emptyWords.contains(word) {
        if !tags.contains(word) { tags.append(word) }
    }
    return Array(tags.prefix(Interpretation.tagsMax))
}

private func sentiment(of words: [String]) -> Interpretation.Sentiment {
    let hasPositive = words.contains { isAny($0, of: positiveWords) }
    let hasNegative = words.contains { isAny($0, of: negativeWords) }
    switch (hasPositive, hasNegative) {
    case (true, true): return .mixed
    case (true, false): return .positive
    case (false, true): return .negative
    case (false, false): return .neutral
    }
}

/// Whether the list has the word, its singular, or the first or last part of a compound.
private func isAny(_ word: String, of list: Set<String>) -> Bool {
    let parts = word.split(separator: "-").map(String.init)
    return ([word] + parts).contains { part in
        list.contains(part) || (part.hasSuffix("s") && list.contains(String(part.dropLast())))
    }
}

// MARK: - Word lists

/// The categories in the order in which they win a tie.
private let categoryWords: [(category: String, list: Set<String>)] = [
    (
        "work",
        [
            "work", "working", "worker", "job", "office", "employee", "employer", "wage", "salary",
            "union", "strike", "overtime", "retirement", "career", "workplace",
        ]
    ),
    (
        "health",
        [
            "health", "healthcare", "hospital", "vaccine", "vaccination", "medicine", "medical",
            "disease", "doctor", "nurse", "drug", "smoking", "diet", "sugar", "obesity", "abortion",
            "euthanasia",
        ]
    ),
    (
        "environment",
        [
            "environment", "climate", "emission", "carbon", "pollution", "nuclear", "wind", "solar",
            "energy", "plastic", "recycling", "forest", "wildlife", "whaling", "meat", "oil",
        ]
    ),
    (
        "education",
        [
            "education", "school", "university", "student", "teacher", "exam", "homework",
            "tuition", "college", "kindergarten",
        ]
    ),
    (
        "technology",
        [
            "technology", "software", "internet", "ai", "robot", "algorithm", "computer",
            "encryption", "privacy", "phone", "smartphone", "crypto", "automation", "data",
        ]
    ),
    (
        "economy",
        [
            "economy", "economic", "tax", "inflation", "trade", "tariff", "market", "bank", "price",
            "rent", "budget", "income", "debt", "subsidy", "business", "euro", "dollar",
        ]
    ),
    (
        "politics",
        [
            "politics", "political", "election", "vote", "voting", "parliament", "government",
            "president", "minister", "party", "law", "referendum", "war", "army", "conscription",
            "nato", "eu", "border", "monarchy",
        ]
    ),
    (
        "science",
        [
            "science", "scientific", "research", "space", "physics", "biology", "genetic", "mars",
            "moon", "experiment", "astronomy", "cloning",
        ]
    ),
    (
        "sport",
        [
            "sport", "football", "soccer", "olympic", "tennis", "cycling", "athlete", "doping",
            "league", "stadium", "chess",
        ]
    ),
    (
        "culture",
        [
            "culture", "art", "music", "film", "movie", "book", "museum", "theatre", "theater",
            "language", "religion", "opera", "television",
        ]
    ),
    (
        "society",
        [
            "society", "social", "family", "child", "children", "marriage", "equality", "housing",
            "immigration", "refugee", "crime", "police", "prison", "city", "car", "traffic", "age",
        ]
    ),
]

private let positiveWords: Set<String> = [
    "good", "better", "best", "free", "freedom", "benefit", "improve", "improved", "success",
    "fair",
    "safe", "safer", "love", "great", "hope", "healthy", "protect", "protecting", "save", "saving",
]

private let negativeWords: Set<String> = [
    "bad", "worse", "worst", "ban", "banning", "abolish", "end", "ending", "crisis", "fail",
    "failure", "danger", "dangerous", "harm", "harmful", "unfair", "hate", "threat", "problem",
    "stop", "risk", "war", "against",
]

/// Words that say nothing about what a topic is about.
private let emptyWords: Set<String> = [
    "the", "and", "for", "are", "was", "were", "with", "from", "that", "this", "these", "those",
    "should", "would", "could", "must", "can", "will", "shall", "may", "not", "its", "our", "your",
    "their", "they", "them", "than", "then", "but", "into", "onto", "over", "under", "about",
    "more",
    "most", "less", "all", "any", "every", "each", "has", "have", "had", "does", "did", "who",
    "what",
    "when", "where", "why", "how", "which", "whether", "there", "here", "you", "his", "her", "one",
]

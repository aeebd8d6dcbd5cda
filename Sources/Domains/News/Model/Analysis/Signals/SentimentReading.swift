/// Finds the statements of a text about a company, or the economy, that are good or bad for owners.
///
/// Some words decide by themselves (`beats`, `bankruptcy`). A quantity decides together with its
/// direction: `profit falls` and `losses grow` are bad, `costs fall` and `loss narrows` good. The end
/// of something bad is good: `strike ends`, `escapes fine`.
struct SentimentReading {
    /// A negation turns the words after it, as far as this many words.
    static let negationReach = 3
    /// Words between a quantity and its direction.
    static let quantityReach = 3
    /// Words between something bad and what ends it: `Recall of Acme cars is called off`.
    static let endReach = 4

    private struct Item {
        var range: Range<Int>
        var meaning: SentimentLexicon.Meaning
    }

    /// Without numbers: `closes nine stores` is like `closes stores`.
    private let words: [TextWord]
    private let items: [Item]
    /// The place in `items` of those that have a word.
    private let itemsByWord: [Int: Int]
    private let countsFailures: Bool
    /// Those of `items` that another item has used.
    private var used: Set<Int> = []
    /// The words that have turned others.
    private var turning: Set<Int> = []
    private var statements: [(isPositive: Bool, range: Range<Int>)] = []

    /// The meanings, in the order of the text, and the words that have them.
    static func statements(
        of words: [TextWord],
        _ lexicon: SentimentLexicon
    ) -> [(Opportunity.Kind, String)] {
        var reading = SentimentReading(words, lexicon)
        reading.read()
        return reading.statements.sorted { $0.range.lowerBound < $1.range.lowerBound }.map {
            ($0.isPositive ? .positive : .negative, reading.text($0.range))
        }
    }

    private init(_ all: [TextWord], _ lexicon: SentimentLexicon) {
        let words = SentimentReading.withoutNumbers(all)
        self.words = words
        countsFailures = lexicon.countsFailures
        let items = lexicon.automaton.matches(in: words.map(\.folded)).map {
            Item(range: $0.range, meaning: lexicon.meanings[$0.value])
        }
        self.items = items
        itemsByWord = items.indices.reduce(into: [:]) { places, index in
            for word in items[index].range { places[word] = index }
        }
    }

    private static func withoutNumbers(_ all: [TextWord]) -> [TextWord] {
        var words: [TextWord] = []
        var isFirst = false
        for var word in all {
            word.isFirst = word.isFirst || isFirst
            let isNumber =
                word.original.first?.isNumber == true
                || SentimentLexicon.numbers.contains(word.folded)
            if !isNumber { words.append(word) }
            // A sentence that begins with a number begins with the word after it.
            isFirst = isNumber && word.isFirst
        }
        return words
    }

    private mutating func read() {
        // The nearest first: in `raises prices as profit falls`, it is the profit that falls.
        let byDistance = items.indices.map { ($0, distanceToQuantity(from: $0)) }
            .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
        for (index, _) in byDistance {
            switch items[index].meaning {
            case .direction(let isUp, let isAlone): readDirection(index, isUp: isUp, isAlone)
            case .lift: readLift(index)
            case .turn where !hasDirection(before: index):
                readDirection(index, isUp: false, false)
            default: break
            }
        }
        for (index, item) in items.enumerated() where !used.contains(index) {
            switch item.meaning {
            case .word(let isPositive): state(isPositive, index)
            case .victory: state(true, index)
            case .quantity(_, let bare?): readBare(index, isPositive: bare)
            default: break
            }
        }
        if countsFailures { readFailures() }
    }

    /// A direction, with the nearest quantity.
    private mutating func readDirection(_ index: Int, isUp: Bool, _ isAlone: Bool) {
        // A decline that slows is less of one.
        let isSlower =
            isAlone && following(index, .direction(isUp: false, isAlone: false), within: 0) != nil
        let isTurned =
            isSlower || following(index, .turn, within: SentimentReading.quantityReach) != nil
        guard let quantity = quantity(of: index, prefersBefore: isAlone),
            case .quantity(let isGood, _) = items[quantity].meaning
        else {
            if isAlone { state(isUp != isTurned, index) }
            return
        }
        used.insert(quantity)
        state(isGood == (isUp != isTurned), index, with: isAlone && isGood ? nil : quantity)
    }

    /// To lift an outlook is good, and to lift a warning also.
    private mutating func readLift(_ index: Int) {
        guard let quantity = quantity(of: index, prefersBefore: false) else { return }
        used.insert(quantity)
        state(true, index, with: quantity)
    }

    /// Something that is good or bad by its mention, unless it ends.
    private mutating func readBare(_ index: Int, isPositive: Bool) {
        guard !hasPreceding(index, within: SentimentReading.endReach, { $0 == .victory }) else {
            return
        }
        let end = following(index, .end, within: SentimentReading.endReach)
        state(isPositive == (end == nil), index, with: end)
    }

    /// A failure that turns no other word is bad itself.
    private mutating func readFailures() {
        for (index, word) in words.enumerated()
        where SentimentLexicon.failures.contains(word.folded) && !turning.contains(index) {
            statements.append((false, index..<index + 1))
        }
    }

    // MARK: Words around an item

    /// Adds the meaning of an item, turned by each negation, or end, before it.
    private mutating func state(_ isPositive: Bool, _ index: Int, with other: Int? = nil) {
        let range = items[index].range
        let start = max(0, range.lowerBound - SentimentReading.negationReach)
        let before = (start..<range.lowerBound).filter { position in
            isTurning(position, but: other)
                && !words[(position + 1)...range.lowerBound].contains(where: \.isFirst)
        }
        turning.formUnion(before)
        let isTurned = !before.count.isMultiple(of: 2)
        let all =
            [isTurned ? before.first.map { $0..<range.upperBound } ?? range : range]
            + (other.map { [items[$0].range] } ?? [])
        let lower = all.map(\.lowerBound).min() ?? range.lowerBound
        let upper = all.map(\.upperBound).max() ?? range.upperBound
        statements.append((isPositive != isTurned, lower..<upper))
    }

    /// Whether a negation is here, or the last word of what ends something.
    private func isTurning(_ position: Int, but other: Int?) -> Bool {
        if let index = itemsByWord[position] {
            return items[index].meaning == .end && index != other
                && items[index].range.upperBound == position + 1
        }
        return SentimentLexicon.negations.contains(words[position].folded)
    }

    private func distanceToQuantity(from index: Int) -> Int {
        quantity(of: index, prefersBefore: true)
            .map { distance(min(index, $0), max(index, $0)) } ?? .max
    }

    private func quantity(of direction: Int, prefersBefore: Bool) -> Int? {
        let found = [direction - 1, direction + 1].filter { other in
            guard items.indices.contains(other), !used.contains(other),
                case .quantity = items[other].meaning
            else { return false }
            return distance(min(direction, other), max(direction, other))
                <= SentimentReading.quantityReach
        }
        return found.min { one, other in
            let distances = [one, other].map {
                distance(min(direction, $0), max(direction, $0))
            }
            if distances[0] != distances[1] { return distances[0] < distances[1] }
            return (one < direction) == prefersBefore
        }
    }

    private func hasDirection(before index: Int) -> Bool {
        hasPreceding(index, within: SentimentReading.quantityReach) {
            if case .direction = $0 { true } else { false }
        }
    }

    private func hasPreceding(
        _ index: Int,
        within reach: Int,
        _ isWanted: (SentimentLexicon.Meaning) -> Bool
    ) -> Bool {
        var other = index - 1
        while other >= 0, distance(other, index) <= reach {
            if isWanted(items[other].meaning) { return true }
            other -= 1
        }
        return false
    }

    private func following(
        _ index: Int,
        _ meaning: SentimentLexicon.Meaning,
        within reach: Int
    ) -> Int? {
        var other = index + 1
        while other < items.count, distance(index, other) <= reach {
            if items[other].meaning == meaning { return other }
            other += 1
        }
        return nil
    }

    /// Words between two items; too many where a sentence or a clause ends there.
    private func distance(_ one: Int, _ other: Int) -> Int {
        let (end, start) = (items[one].range.upperBound, items[other].range.lowerBound)
        guard end <= start, !words[end...start].contains(where: \.isFirst) else { return .max }
        let isOneClause = !words[end..<start].contains {
            SentimentLexicon.conjunctions.contains($0.folded)
        }
        return isOneClause ? start - end : .max
    }

    private func text(_ range: Range<Int>) -> String {
        words[range].map(\.folded).joined(separator: " ")
    }
}

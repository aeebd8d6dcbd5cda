/// Finds many phrases in one pass over the words of a text: Aho and Corasick's automaton, with
/// words in the place of letters.
struct WordAutomaton: Sendable {
    struct Match: Equatable, Sendable {
        /// Of the words.
        var range: Range<Int>
        /// As the phrase was given with.
        var value: Int
    }

    private struct Edge: Hashable {
        var state: Int32
        var word: Int32
    }

    private var words: [String: Int32] = [:]
    private var edges: [Edge: Int32] = [:]
    /// The longest state that is a proper suffix of a state.
    private var fallback: [Int32] = [0]
    /// Words from the start to a state.
    private var depth: [Int32] = [0]
    /// The value of the phrase that ends in a state.
    private var ending: [Int32: Int] = [:]

    /// The first of equal phrases counts. Phrases without words are left out.
    init(_ phrases: [(words: [String], value: Int)]) {
        for phrase in phrases where !phrase.words.isEmpty {
            insert(phrase.words, value: phrase.value)
        }
        link()
    }

    private mutating func insert(_ phrase: [String], value: Int) {
        var state: Int32 = 0
        for word in phrase {
            let id = words[word] ?? Int32(words.count)
            words[word] = id
            let edge = Edge(state: state, word: id)
            if let next = edges[edge] {
                state = next
            } else {
                let next = Int32(depth.count)
                edges[edge] = next
                depth.append(depth[Int(state)] + 1)
                fallback.append(0)
                state = next
            }
        }
        if ending[state] == nil { ending[state] = value }
    }

    /// Breadth first, so that the fallback of a state's parent is known.
    private mutating func link() {
        let byDepth = edges.sorted { depth[Int($0.value)] < depth[Int($1.value)] }
        for (edge, target) in byDepth where edge.state != 0 {
            fallback[Int(target)] = next(from: fallback[Int(edge.state)], word: edge.word)
        }
    }

    private func next(from start: Int32, word: Int32) -> Int32 {
        var state = start
        while true {
            if let target = edges[Edge(state: state, word: word)] { return target }
            if state == 0 { return 0 }
            state = fallback[Int(state)]
        }
    }

    /// The matches from left to right; of those that overlap, the leftmost, and of those the
    /// longest.
    func matches(in text: [String]) -> [Match] {
        var found: [Match] = []
        var state: Int32 = 0
        for (index, word) in text.enumerated() {
            guard let id = words[word] else {
                state = 0
                continue
            }
            state = next(from: state, word: id)
            var suffix = state
            while suffix != 0 {
                if let value = ending[suffix] {
                    let start = index + 1 - Int(depth[Int(suffix)])
                    found.append(Match(range: start..<index + 1, value: value))
                }
                suffix = fallback[Int(suffix)]
            }
        }
        return WordAutomaton.leftmostLongest(found)
    }

    private static func leftmostLongest(_ found: [Match]) -> [Match] {
        let ordered = found.sorted {
            ($0.range.lowerBound, -$0.range.count) < ($1.range.lowerBound, -$1.range.count)
        }
        var chosen: [Match] = []
        for match in ordered
        where match.range.lowerBound >= chosen.last?.range.upperBound ?? 0 {
            chosen.append(match)
        }
        return chosen
    }
}

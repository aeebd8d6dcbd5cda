import SeededRandom

@testable import News

/// Reports that are made up, copies of them that were edited, and reports from the same template
/// about something else.
///
/// An edit deletes, inserts or replaces an ordinary word, or takes one off the end. Numbers and
/// names are not replaced: that is what makes a report about something else. A copy may have another
/// dateline, which does not count as an edit, and its title may be in title case.
struct WireCopies {
    struct Report {
        /// Words with `#` are numbers, with `@` names; the marks are not part of the text.
        var title: [String]
        var summary: [String]

        var wordCount: Int { title.count + summary.count }
    }

    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func report() -> Report {
        let facts = facts()
        let sentences = WireCopies.sentences.shuffled(using: &generator)
            .prefix(Int.random(in: 3...5, using: &generator))
        let title = pick(WireCopies.titles)
        return Report(
            title: fill(title, facts),
            summary: sentences.flatMap { fill($0, facts) }
        )
    }

    /// The same words with other numbers, other names, or both.
    mutating func aboutSomethingElse(_ report: Report) -> Report {
        let words = report.title + report.summary
        let hasNumbers = words.contains { $0.hasPrefix("#") }
        let kind = Int.random(in: hasNumbers ? 0..<3 : 1..<3, using: &generator)
        var replacements: [String: String] = [:]
        for word in words where replacements[word] == nil {
            if word.hasPrefix("#"), kind != 1 { replacements[word] = number(except: word) }
            if word.hasPrefix("@"), kind != 0 { replacements[word] = name(except: word) }
        }
        let change = { (words: [String]) in words.map { replacements[$0] ?? $0 } }
        return Report(title: change(report.title), summary: change(report.summary))
    }

    /// A copy with `count` edits.
    mutating func copy(_ report: Report, edits count: Int) -> Report {
        var words = report.title.map { ($0, true) } + report.summary.map { ($0, false) }
        let cut = Bool.random(using: &generator) ? Int.random(in: 0...count, using: &generator) : 0
        words.removeLast(min(cut, report.summary.count - 1))
        for _ in 0..<count - cut { edit(&words) }
        return Report(title: words.filter(\.1).map(\.0), summary: words.filter { !$0.1 }.map(\.0))
    }

    mutating func article(_ report: Report, id: Int, isCopy: Bool = false) -> StoryInput {
        let isTitleCase = Int.random(in: 0..<10, using: &generator) < 3
        let title = report.title.enumerated().map { index, word in
            WireCopies.plain(word, isCapitalised: index == 0 || isTitleCase)
        }
        var summary = report.summary.enumerated().map { index, word in
            let isFirst = index == 0 || report.summary[index - 1].hasSuffix(".")
            return WireCopies.plain(word, isCapitalised: isFirst)
        }.joined(separator: " ")
        if isCopy, Bool.random(using: &generator) {
            summary = "\(pick(WireCopies.datelines)) - \(summary)"
        }
        return StoryInput(
            articleID: id,
            title: title.joined(separator: " "),
            summary: summary,
            owner: "owner\(id)",
            publishedAt: Timestamp(milliseconds: 1_700_000_000_000 + Int64(id) * 1000)
        )
    }

    // MARK: Edits

    private mutating func edit(_ words: inout [(String, Bool)]) {
        let position = Int.random(in: words.indices, using: &generator)
        let (word, isTitle) = words[position]
        let isFact = word.hasPrefix("#") || word.hasPrefix("@")
        let point = word.hasSuffix(".") ? "." : ""
        switch Int.random(in: 0..<3, using: &generator) {
        case 0 where !isFact && words.count(where: { $0.1 == isTitle }) > 1:
            words.remove(at: position)
        case 1 where !isFact:
            words[position].0 = pick(WireCopies.fillers) + point
        default:
            words.insert((pick(WireCopies.fillers), isTitle), at: position)
        }
    }

    // MARK: Facts

    private mutating func facts() -> [String: String] {
        var facts: [String: String] = [:]
        for slot in ["N1", "N2", "N3"] { facts[slot] = number(except: "") }
        for slot in ["C1", "C2", "P1", "P2"] { facts[slot] = name(except: "") }
        for slot in ["W1", "W2", "W3", "W4", "W5", "W6"] { facts[slot] = pick(WireCopies.subjects) }
        return facts
    }

    private mutating func fill(_ template: String, _ facts: [String: String]) -> [String] {
        template.split(separator: " ").map { word in
            let point = word.hasSuffix(".") ? "." : ""
            return facts[String(word.prefix(2))].map { $0 + point } ?? String(word)
        }
    }

    private mutating func number(except other: String) -> String {
        let number = "#\(Int.random(in: 2...999, using: &generator))"
        return number == other ? number + "1" : number + (other.hasSuffix(".") ? "." : "")
    }

    private mutating func name(except other: String) -> String {
        let syllables = [
            "ba", "cor", "del", "fin", "gar", "hol", "ma", "nor", "pel", "ri", "sol", "tek", "vo",
        ]
        let count = Int.random(in: 2...3, using: &generator)
        let name = (0..<count).map { _ in pick(syllables) }.joined()
        let point = other.hasSuffix(".") ? "." : ""
        return name == other.dropFirst().filter { $0 != "." }
            ? "@\(name)on\(point)" : "@\(name)\(point)"
    }

    private mutating func pick(_ list: [String]) -> String {
        list[Int.random(in: list.indices, using: &generator)]
    }

    private static func plain(_ word: String, isCapitalised: Bool) -> String {
        let isName = word.hasPrefix("@")
        let text = word.filter { $0 != "@" && $0 != "#" }
        return isName || isCapitalised ? text.prefix(1).uppercased() + text.dropFirst() : text
    }

    // MARK: Words

    private static let datelines = ["LONDON (Wire)", "NEW YORK (Press Service)", "TOKYO, May (WX)"]
    private static let titles = [
        "C1 reports W1 profit of N1 million in the quarter",
        "C1 buys W1 unit of C2 for N1 million in cash",
        "shares of C1 fall N1 percent after W1 warning",
        "C1 recalls N1 thousand W1 products over W2 fault",
        "judge orders C1 to pay N1 million over W1 claims",
        "C1 names P1 to lead its W1 business",
    ]
    private static let sentences = [
        "the company said on its site that W1 revenue rose N1 percent from a year earlier.",
        "analysts had expected W2 earnings of N2 million on average.",
        "P1 who leads the W3 division of C1 called the result a step in a long plan.",
        "a spokesman for C2 declined to comment on the W4 talks.",
        "the W5 deal still needs approval by regulators and W6 shareholders.",
        "demand for W1 and W2 has slowed since the start of the year.",
        "C1 employs N3 thousand people and runs W3 plants on three continents.",
        "costs for W4 materials climbed while the price of W5 goods stayed flat.",
        "investors have pressed P2 for a clear answer on W6 spending.",
        "the group now sees N2 percent growth in W2 sales for the full year.",
    ]
    private static let subjects = [
        "steel", "software", "retail", "cloud", "energy", "cargo", "travel", "farm", "chip",
        "media",
        "battery", "water", "paper", "glass", "rail", "mining", "drug", "fashion", "toy",
        "furniture",
        "insurance", "mobile", "solar", "coffee", "dairy", "timber", "satellite", "truck", "cement",
    ]
    private static let fillers = [
        "also", "however", "strongly", "recently", "local", "major", "sharply", "large", "likely",
        "officials", "market", "statement", "further", "early", "report", "added", "slightly",
        "expected", "news", "broad", "firm", "gains", "again", "while", "several", "despite",
    ]
}

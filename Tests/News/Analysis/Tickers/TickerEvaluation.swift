import Foundation

@testable import News

/// Found symbols against labels.
struct TickerEvaluation {
    var found = 0
    var labelled = 0
    var correct = 0
    /// Labelled symbols of companies that the table has, or that an exchange marks.
    var labelledInTable = 0
    var correctInTable = 0
    /// `TGT found`, `TGT missed`, with how often.
    var confusion: [String: Int] = [:]

    var precision: Double { found == 0 ? 1 : Double(correct) / Double(found) }
    var recall: Double { labelled == 0 ? 1 : Double(correct) / Double(labelled) }
    var recallInTable: Double {
        labelledInTable == 0 ? 1 : Double(correctInTable) / Double(labelledInTable)
    }

    mutating func add(_ symbols: [String], labels: Set<String>, table: CompanyTable) {
        let unique = Set(symbols)
        found += unique.count
        labelled += labels.count
        correct += unique.intersection(labels).count
        let known = labels.filter { Ticker($0).map(table.symbols.contains) == true }
        labelledInTable += known.count
        correctInTable += unique.intersection(known).count
        for symbol in unique.subtracting(labels) { confusion["\(symbol) found", default: 0] += 1 }
        for symbol in labels.subtracting(unique) { confusion["\(symbol) missed", default: 0] += 1 }
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../NewsEvaluation").standardizedFileURL

    /// Lines without comments.
    static func lines(_ name: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: true)
            .map(String.init).filter { !$0.hasPrefix("#") }
    }

    static func digest(_ title: String) -> String {
        sha256(Array(title.utf8)).prefix(8).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }
}

/// Rows of the UCI News Aggregator data set, from a file of the user's own. They are in no
/// repository.
struct UCIArticles {
    struct Row {
        var title: String
        var publisher: String
        var category: String
        var story: String
        var milliseconds: Int64
    }

    /// Where `VARDE_NEWS_UCI` has the path of `uci-news-aggregator.csv`.
    static var path: String? { ProcessInfo.processInfo.environment["VARDE_NEWS_UCI"] }

    static func read() throws -> [Row] {
        let text = try String(contentsOfFile: path ?? "", encoding: .utf8)
        return text.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
            let fields = fields(of: line)
            guard fields.count == 8, let time = Int64(fields[7]) else { return nil }
            return Row(
                title: fields[1],
                publisher: fields[3],
                category: fields[4],
                story: fields[5],
                milliseconds: time
            )
        }
    }

    /// Of one line of a file with commas and quotes (RFC 4180). No field of the set has line
    /// breaks.
    private static func fields(of line: Substring) -> [String] {
        var fields = [""]
        var isQuoted = false
        var previous: Character?
        for character in line where character != "\r" {
            if character == "\"" {
                if !isQuoted, previous == "\"" { fields[fields.count - 1].append("\"") }
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                fields.append("")
            } else {
                fields[fields.count - 1].append(character)
            }
            previous = character
        }
        return fields
    }
}

import Foundation
import Repository

/// Titles with labels: a file of `Tests/NewsEvaluation`.
package struct LabelledTitles {
    /// A title, and its labels by column.
    package var rows: [(title: String, labels: [String])]

    /// Rules are made only with the one half, and judged by the other.
    package enum Half: CaseIterable {
        case tuning, judgement

        /// By the sum of a title's bytes.
        package init(of title: String) {
            self = title.utf8.reduce(0) { $0 + Int($1) }.isMultiple(of: 2) ? .tuning : .judgement
        }
    }

    /// - Parameter name: of a file of lines with tabs; those that begin with `#` are comments.
    package init(file name: String) throws {
        let path = repositoryRoot + "/Tests/NewsEvaluation/" + name
        rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { line in
                let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                return (String(fields[0]), fields.dropFirst().map(String.init))
            }
    }

    package func rows(of half: Half) -> [(title: String, labels: [String])] {
        rows.filter { Half(of: $0.title) == half }
    }
}

/// Found values against labels, of which a title has none, one or several.
package struct LabelledMeasure {
    package private(set) var found = 0
    package private(set) var labelled = 0
    package private(set) var correct = 0
    /// What was found for a title instead of its labels.
    package private(set) var confusions: [String] = []

    package init() {}

    package var precision: Double { found == 0 ? 1 : Double(correct) / Double(found) }
    package var recall: Double { labelled == 0 ? 1 : Double(correct) / Double(labelled) }

    /// - Parameter label: values with commas, `-` for none, and `?` for a title that is not counted.
    package mutating func add(_ title: String, found values: Set<String>, label: String) {
        guard label != "?" else { return }
        let labels = label == "-" ? [] : Set(label.split(separator: ",").map(String.init))
        found += values.count
        labelled += labels.count
        correct += values.intersection(labels).count
        if values != labels {
            confusions.append("\(title): \(values.sorted()), not \(labels.sorted())")
        }
    }

    /// One line with the figures, followed by the confusions if `VARDE_CONFUSIONS` is set.
    package func report(_ name: String, _ half: LabelledTitles.Half) -> String {
        let figures = "\(name), \(half): P \(precision) R \(recall), \(correct) of \(labelled)"
        let isWanted = ProcessInfo.processInfo.environment["VARDE_CONFUSIONS"] != nil
        return ([figures] + (isWanted ? confusions : [])).joined(separator: "\n  ")
    }
}

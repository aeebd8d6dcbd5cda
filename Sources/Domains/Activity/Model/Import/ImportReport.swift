/// The result of an import, as a text for people.
package struct ImportReport: Sendable, Equatable, CustomStringConvertible {
    /// The number of rows stored, and the number of new ones among them.
    package struct Count: Sendable, Equatable {
        package private(set) var all = 0
        package private(set) var new = 0

        mutating func add(_ count: Int, new: Int) {
            all += count
            self.new += new
        }
    }

    package private(set) var films = Count()
    package private(set) var people = Count()
    package private(set) var ratings = Count()
    /// All of them.
    package private(set) var problemCount = 0
    /// The first ones of each file.
    package private(set) var problems: [ImportProblem] = []
    private var namedCounts: [String: Int] = [:]
    package var duration: Duration?

    package init() {}

    package mutating func add(_ problem: ImportProblem) {
        problemCount += 1
        guard namedCounts[problem.file, default: 0] < ImportLimits.problemsNamedMax else { return }
        namedCounts[problem.file, default: 0] += 1
        problems.append(problem)
    }

    package mutating func add(_ batch: ImportBatch, stored rows: ImportedRows) {
        switch batch {
        case .films: films.add(batch.count, new: rows.newCount)
        case .people: people.add(batch.count, new: rows.newCount)
        case .ratings: ratings.add(batch.count, new: rows.newCount)
        }
    }

    package var description: String {
        var lines = [("films", films), ("people", people), ("ratings", ratings)]
            .filter { $0.1.all > 0 || $0.0 == "films" }
            .map { "\($0.1.all) \($0.0), \($0.1.new) of them new" }
        if problemCount > 0 {
            lines.append("\(problemCount) not taken:")
            lines += problems.map { "  \($0)" }
            let rest = problemCount - problems.count
            if rest > 0 { lines.append("  and \(rest) more") }
        }
        if let duration { lines.append("in \(duration.text)") }
        return lines.joined(separator: "\n")
    }
}

extension Duration {
    /// `212 ms` below a second, else `1.9 s`.
    fileprivate var text: String {
        let milliseconds = wholeMilliseconds
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    }
}

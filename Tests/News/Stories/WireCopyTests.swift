import Expectations
import SeededRandom

@testable import News

@Suite("Duplicates: 500 copies and 500 reports about something else", .timeLimit(.minutes(10)))
struct WireCopyTests {
    private static let count = 500

    private struct Result {
        var copies = 0
        var found = 0
        var fewEdits = 0
        var foundOfFewEdits = 0
        /// Reports about something else, and copies that were taken for those of another report.
        var wrong = 0

        var precision: Double { Double(found) / Double(found + wrong) }
        var recallOfFewEdits: Double { Double(foundOfFewEdits) / Double(fewEdits) }
        var recall: Double { Double(found) / Double(copies) }
    }

    /// - Parameter isAlone: nothing but the report is known when its copy arrives.
    private func result(seed: UInt64, isAlone: Bool = false) -> Result {
        var copies = WireCopies(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let reports = (0..<Self.count).map { _ in copies.report() }
        var index = DuplicateIndex()
        var result = Result()
        for (id, report) in reports.enumerated() {
            if index.add(copies.article(report, id: id)) != .original { result.wrong += 1 }
        }
        for (id, report) in reports.enumerated() {
            let other = copies.aboutSomethingElse(report)
            let article = copies.article(other, id: 2 * Self.count + id, isCopy: true)
            let share = Double.random(in: 0...0.3, using: &generator)
            let edits = Int((share * Double(report.wordCount)).rounded(.down))
            let copy = copies.copy(report, edits: edits)
            if isAlone {
                index = DuplicateIndex()
                _ = index.add(copies.article(report, id: id))
            }
            // A copy of its own index, so that an error does not lead to others.
            var forOther = index
            if forOther.add(article) != .original { result.wrong += 1 }
            var forCopy = index
            let verdict = forCopy.add(copies.article(copy, id: Self.count + id, isCopy: true))
            result.copies += 1
            result.fewEdits += share <= 0.1 ? 1 : 0
            guard case .near(of: id, _) = verdict else {
                result.wrong += verdict == .original ? 0 : 1
                continue
            }
            result.found += 1
            result.foundOfFewEdits += share <= 0.1 ? 1 : 0
        }
        return result
    }

    /// An index that knows no ordinary words takes more words for names, and so finds fewer copies.
    @Test func othersAreNotFoundByAnIndexThatKnowsNothingElse() {
        let result = result(seed: 4, isAlone: true)
        print("alone: precision \(result.precision), recall to 10 % \(result.recallOfFewEdits)")
        expect(result.precision >= 0.99)
        expect(result.found > 0)
    }

    @Test(arguments: UInt64(1)...3)
    func copiesAreFoundAndOthersAreNot(seed: UInt64) {
        let result = result(seed: seed)
        print(
            "seed \(seed): precision \(result.precision),",
            "recall to 10 % \(result.recallOfFewEdits) of \(result.fewEdits), recall to 30 % \(result.recall), wrong \(result.wrong)"
        )
        expect(result.precision >= 0.99, "seed \(seed): \(result.wrong) wrong")
        expect(result.recallOfFewEdits >= 0.95, "seed \(seed): of \(result.fewEdits)")
    }
}

import Expectations

@testable import News

@Suite("Category by words", .timeLimit(.minutes(10)))
struct CategoryGuessTests {
    @Test(
        arguments: [
            ("Stocks fall as oil prices sink", NewsCategory.business),
            ("New smartphone app beats hackers", .technology),
            ("Actress talks about her new movie", .entertainment),
            ("Flu vaccine protects patients", .health),
            ("NASA telescope sees a distant galaxy", .science),
            ("Coach praises quarterback after playoff", .sports),
            ("Mayor opens a bridge", .general),
            ("", .general),
        ]
    )
    func wordsOfTheTitleDecide(title: String, category: NewsCategory) {
        expectEqual(CategoryGuess(title: title).category, category)
    }

    @Test func feedsOwnNameDecidesBeforeWords() {
        let guess = CategoryGuess(title: "Stocks fall", categories: ["Front page", "Sport"])
        expectEqual(guess.category, .sports)
        expect(!guess.isDefault)
    }

    @Test func sourceDecidesWhereWordsDoNot() {
        let none = CategoryGuess(title: "Mayor opens a bridge", default: .sports)
        expectEqual(none.category, .sports)
        expect(none.isDefault)
        let tie = CategoryGuess(title: "Stocks and vaccine", default: .science)
        expectEqual(tie.category, .science)
        let clear = CategoryGuess(title: "Stocks and bonds", default: .science)
        expectEqual(clear.category, .business)
    }

    @Test func titleCountsMoreThanText() {
        expectEqual(CategoryGuess(title: "Stocks", text: "A vaccine.").category, .business)
    }

    @Test func wordThatIsRepeatedCountsOnce() {
        let guess = CategoryGuess(title: "Vaccine, vaccine, vaccine and stocks, bonds")
        expectEqual(guess.category, .business)
    }

    /// Macro-F1 on the four labels of UCI: b, t (science and technology), e and m (health).
    @Test(.enabled(if: UCIArticles.path != nil))
    func seedsFindTheLabelsOfUCI() throws {
        var confusion: [String: [String: Int]] = [:]
        for row in try UCIArticles.read() {
            let found: String =
                switch CategoryGuess(title: row.title).category {
                case .business: "b"
                case .technology, .science: "t"
                case .entertainment: "e"
                case .health: "m"
                case .general, .sports: "-"
                }
            confusion[row.category, default: [:]][found, default: 0] += 1
        }
        var scores: [String: Double] = [:]
        for label in confusion.keys {
            let correct = Double(confusion[label]?[label] ?? 0)
            let labelled = Double(confusion[label]?.values.reduce(0, +) ?? 0)
            let found = Double(confusion.values.reduce(0) { $0 + ($1[label] ?? 0) })
            scores[label] = labelled + found == 0 ? 0 : 2 * correct / (labelled + found)
        }
        let macro = scores.values.reduce(0, +) / Double(scores.count)
        print("uci categories: macro-F1 \(macro) \(scores) \(confusion)")
        expectEqual(scores.count, 4)
        expect(macro > 0.25, "better than one label for all")
    }
}

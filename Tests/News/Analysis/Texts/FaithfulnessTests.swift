import Expectations
import SeededRandom

@testable import News

@Suite("Faithfulness of generated texts", .timeLimit(.minutes(10)))
struct FaithfulnessTests {
    private let extractor = TickerExtractor(
        table: CompanyTable("AAPL=apple inc;MSFT=microsoft;ACME=acme rockets;")
    )

    private func faults(_ text: String, _ inputs: String..., tickers: [String] = [])
        -> [Faithfulness.Fault]
    {
        Faithfulness(
            of: text,
            inputs: inputs,
            tickers: Set(tickers.compactMap { Ticker($0) }),
            extractor: extractor
        ).faults
    }

    @Test(
        arguments: [
            ("1,200", "1200"), ("1200", "1.2 thousand"), ("1.2k", "1,200"), ("$2.50", "2.5"),
            ("5%", "5 percent"),
            ("5 per cent", "5%"), ("3bn", "3 billion"), ("3,000,000,000", "3 bn"), ("007", "7"),
            ("0", "0.00"),
            ("three", "3"), ("two million", "2,000,000"), ("$1.8B", "1.8 billion"),
            ("10-million", "10m"),
            ("٣", "3"),
        ]
    )
    func numbersAreComparedByValue(one: String, other: String) {
        expectEqual(NumberValue.numbers(in: one), NumberValue.numbers(in: other))
        expectEqual(NumberValue.numbers(in: one).count, 1)
    }

    @Test(
        arguments: [
            ("5", "5%"), ("1.2", "12"), ("1,20", "120"), ("5 million", "5 billion"), ("0.5", "5"),
            ("10", "100"),
        ]
    )
    func otherValuesAreOtherNumbers(one: String, other: String) {
        expect(NumberValue.numbers(in: one) != NumberValue.numbers(in: other))
    }

    @Test func textOfItsInputsIsFaithful() {
        expectEqual(
            faults(
                "Microsoft grew by 12 percent to 1.2 thousand units.",
                "Microsoft sold 1,200 units, up 12%"
            ),
            []
        )
    }

    @Test func inventedNumberIsAFault() {
        expectEqual(faults("Up 13%", "Up 12%"), [.number("13%")])
        expectEqual(faults("In 2027", "Up 12%"), [.number("2027")])
    }

    @Test func inventedCompanyIsAFault() throws {
        let apple = try require(Ticker("AAPL"))
        expectEqual(faults("Apple Inc rose", "Microsoft rose"), [.ticker(apple)])
        expectEqual(faults("Good for $AAPL", "Microsoft rose"), [.ticker(apple)])
        expectEqual(faults("Apple Inc rose", "The company rose", tickers: ["AAPL"]), [])
        expectEqual(faults("Good for $AAPL", "Holding: AAPL"), [])
    }

    @Test(
        arguments: [
            "Buy now.", "It rose. Sell everything.", "You should sell the shares.",
            "Consider buying more.",
            "It may be time to buy.", "We recommend holding off and selling.", "Wait, then sell.",
            "The company earned more, buy now.", "Sales of rockets fell again, sell it.",
            "Investors must dump it.", "Hold your shares.",
        ]
    )
    func adviceToTradeIsAFault(text: String) {
        let faults = faults(text, text)
        expect(faults.contains { if case .advice = $0 { true } else { false } }, "\(text)")
    }

    @Test(
        arguments: [
            "Acme Rockets agreed to buy a rival.", "Holders sold shares last week.",
            "Read the reported figures.",
            "Many people in the north rent, buy or sell homes.",
            "Analysts expect consumers to buy fewer cars.", "The seller and the buyer agreed.",
            "The shares are now trading higher.", "You own it. Investors kept buying more.",
        ]
    )
    func reportOfATradeIsNone(text: String) {
        expectEqual(faults(text, text), [])
    }

    @Test func emptyTextIsAFault() {
        expectEqual(faults("", "a"), [.empty])
        expectEqual(faults(" \n.", "a"), [.empty])
    }

    /// A text made of its inputs is faithful; with one more number it is not.
    @Test(arguments: 1...20)
    func everyInventedNumberIsFound(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let numbers = (0..<5).map { _ in Int.random(in: 1...1_000_000, using: &random) }
            let input = numbers.map { "about \($0) units" }.joined(separator: ", ")
            expectEqual(faults(input, input), [], "seed \(seed)")
            let invented = numbers.max()! + 1
            expectEqual(faults("\(input) and \(invented)", input).count, 1, "seed \(seed)")
        }
    }
}

@Suite("Interpretation of a text", .timeLimit(.minutes(10)))
struct TextInterpretationTests {
    private let extractor = TickerExtractor()

    @Test(
        arguments: [
            ("A title", "A title"), ("One. Two.", "One"), ("Really? Yes.", "Really?"),
            ("  \n Line\nNext", "Line"),
            ("It rose 3.5 percent. Then", "It rose 3.5 percent"),
            ("The U.S. economy grew. It", "The U.S. economy grew"),
            ("Acme Inc. buys. More", "Acme Inc. buys"), ("a\u{0}b", "ab"), ("", ""),
            ("a  b\tc", "a b c"),
        ]
    )
    func titleIsTheFirstSentence(text: String, title: String) {
        expectEqual(TextInterpretation.title(of: text), title)
    }

    @Test func longTitleIsCutBetweenWords() {
        let exact = String(repeating: "a", count: 120)
        expectEqual(TextInterpretation.title(of: exact), exact)
        expectEqual(TextInterpretation.title(of: exact + "a").count, 120)
        let words = String(repeating: "word ", count: 40)
        let title = TextInterpretation.title(of: words)
        expect(title.count <= 120)
        expect(title.hasSuffix("word…"))
    }

    @Test func exampleOfTheAppIsAProduct() {
        let text = "Apple announces new product line with innovative features"
        let found = TextInterpretation(text, extractor: extractor)
        expectEqual(found.title, text)
        expectEqual(found.verdict, .aware)
        expectEqual(found.relevance, .product)
        expectEqual(found.tickers.map(\.text), ["AAPL"])
        expectEqual(found.why.first, "About a product")
    }

    @Test func textWithoutBusinessIsIgnored() {
        let found = TextInterpretation("We walked along the river.", extractor: extractor)
        expectEqual(found.verdict, .ignore)
        expectEqual(found.why, ["Contains no financial terms"])
        expectEqual(found.opportunity.kind, .none)
    }

    @Test func heldCompanyComesFirst() {
        let held = Set([Ticker("MCD")!])
        let found = TextInterpretation(
            "McDonald's opens a restaurant",
            holdings: held,
            extractor: extractor
        )
        expectEqual(found.verdict, .aware)
        expectEqual(found.why.first, "You hold MCD")
    }

    @Test(arguments: [
        "", " ", "a", String(repeating: "x", count: 20_000), "\u{0}", "🦊🦊", "$ % ( : )",
    ])
    func anyTextHasOneToThreeReasonsAndBoundedNumbers(text: String) {
        let found = TextInterpretation(text, extractor: extractor)
        expect((1...3).contains(found.why.count))
        expect((0...100).contains(found.confidence))
        expect((0...100).contains(found.importanceScore))
        expect(found.title.count <= TextInterpretation.titleLengthMax)
    }
}

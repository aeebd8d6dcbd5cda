import Expectations

@testable import News

@Suite("Tickers", .timeLimit(.minutes(10)))
struct TickerTests {
    @Test(
        arguments: [
            ("AAPL", "AAPL"), (" aapl\t", "AAPL"), ("A", "A"), ("BRKB", "BRKB"), ("x2", "X2"),
            ("12345", "12345"),
        ]
    )
    func symbolIsInUpperCaseWithoutSpaces(text: String, symbol: String) {
        expectEqual(Ticker(text)?.text, symbol)
    }

    @Test(arguments: ["", " ", "ABCDEF", "BRK.B", "A B", "ÄPL", "A-1", "A\nB", "²"])
    func everythingElseIsNone(text: String) {
        expectNil(Ticker(text))
    }
}

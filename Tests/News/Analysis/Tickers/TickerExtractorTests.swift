import Expectations
import SeededRandom

@testable import News

@Suite("Tickers of a text", .timeLimit(.minutes(10)))
struct TickerExtractorTests {
    private let extractor = TickerExtractor(
        table: CompanyTable("ACME=acme rockets;TGT=~target;ROX=rox;BRKB=berkshire;MCD=mcdonald's;")
    )

    private func symbols(_ title: String, _ text: String = "") -> [String] {
        extractor.tickers(title: title, text: text).map(\.text)
    }

    @Test(
        arguments: [
            ("Up (NASDAQ: ACME)", ["ACME"]), ("Up (nasdaq:acme)", ["ACME"]),
            ("NYSE MKT: AB", ["AB"]),
            ("(NYSE American: XY)", ["XY"]), ("(NYSE: BRK.B)", ["BRKB"]), ("NYSE:BRK-B", ["BRKB"]),
            ("NYSE:BRK/B", ["BRKB"]), ("$BRK.B", ["BRKB"]), ("BRKB for all: $BRKB", ["BRKB"]),
            ("(NYSE: GM, F)", ["GM", "F"]), ("(NYSE: GM, Inc)", ["GM"]),
            ("$AAPL, $MSFT.", ["AAPL", "MSFT"]),
            ("(LON: RIO)", []), ("TSX: TD", []), ("NASDAQ: ", []), ("NASDAQ:123", []),
            ("NASDAQ: TOOLONG", []),
            ("$A $US $M $5 $ $aapl", []), ("US$AAPL", []), (":", []), ("$", []), ("XNYSE: AB", []),
        ]
    )
    func markedSymbolsAreFound(text: String, symbols: [String]) {
        expectEqual(SymbolPatterns.symbols(in: text).map(\.text), symbols)
    }

    @Test func nameNeedsItsCapitalLetters() {
        expectEqual(symbols("Acme Rockets lands"), ["ACME"])
        expectEqual(symbols("acme rockets land"), [])
    }

    @Test func possessiveAndJoinedFormsAreTheSameName() {
        expectEqual(symbols("McDonald's opens"), ["MCD"])
        expectEqual(symbols("McDonald’s menu"), ["MCD"])
        expectEqual(symbols("Mcdonalds opens"), ["MCD"])
        expectEqual(symbols("Acme Rockets' debt"), ["ACME"])
    }

    @Test func nameThatIsAWordNeedsContext() {
        expectEqual(symbols("Target shares fall"), ["TGT"])
        expectEqual(symbols("Retailer Target hires"), ["TGT"])
        expectEqual(symbols("Target, Acme Rockets share sales data"), ["TGT", "ACME"].reversed())
        expectEqual(symbols("Target Acquired"), [])
        expectEqual(symbols("Price Target shares"), [])
    }

    @Test func symbolWithoutExchangeNeedsAPlace() {
        expectEqual(symbols("A good day (ROX)"), ["ROX"])
        expectEqual(symbols("ROX shares rise"), ["ROX"])
        expectEqual(symbols("ROX: a good day"), ["ROX"])
        expectEqual(symbols("Movers: ROX, TGT, S"), ["TGT", "ROX"].reversed())
        expectEqual(symbols("A good ROX day"), ["ROX"], "the name of the company, too")
        expectEqual(symbols("The TGT committee met"), [])
    }

    @Test func titleComesBeforeTextAndCertainBeforeUncertain() {
        let mentions = extractor.mentions(
            title: "Target shares fall as Acme Rockets rises",
            text: "McDonald's (NYSE: MCD) and Acme Rockets watch. McDonald's waits."
        )
        expectEqual(mentions.map(\.ticker.text), ["ACME", "TGT", "MCD"])
        expectEqual(mentions.map(\.evidence), [.name, .nameInContext, .explicitSymbol])
        expectEqual(mentions.map(\.count), [2, 1, 3])
        expectEqual(mentions.map(\.isInTitle), [true, true, false])
    }

    @Test func articleHasABoundedNumberOfTickers() {
        let text = (0..<30).map {
            "$Z" + String(UnicodeScalar(65 + $0 % 26)) + ($0 < 26 ? "" : "Q")
        }
        expectEqual(symbols(text.joined(separator: " ")).count, TickerExtractor.tickersMax)
    }

    @Test func builtInTableHasLargeCompaniesAndClassShares() {
        let table = CompanyTable.builtIn
        expect(table.symbols.count >= 3000)
        for symbol in ["AAPL", "MSFT", "BRKB", "F", "GM", "V", "KO"] {
            expectEqual(Ticker(symbol).map(table.symbols.contains), true, "\(symbol)")
        }
    }

    /// Texts of pieces that the rules look at: no crash, symbols valid and unique.
    @Test(arguments: 1...20)
    func anyTextGivesUniqueSymbols(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "(", ")", "NASDAQ", ":", "$", "A", "BRK.B", " ", ",", "Target", "shares", "é", "'s",
            "&", "Acme",
            "Rockets", "J.C.", ".", "ROX", "\u{301}", "1", "½", "\n",
        ]
        for _ in 0..<300 {
            let count = Int.random(in: 0...15, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined()
            let found = symbols(text, text)
            expectEqual(Set(found).count, found.count, "seed \(seed): \(text)")
        }
    }

    @Test(arguments: [
        "Freddie Aasen film breaks box office record", "Trevi Fountain reopens after restoration",
        "Werner Solheim talks about his new documentary", "Magna Carta copy found in library",
        "Mara Hilton speaks at school hearing", "Howard Hughes biopic wins at Venice",
        "Henry Schein joins a jazz trio", "Sherwin Williams wins the race", "Life Under Armour",
        "Howard Hughes Medical Institute names fellows", "Canada Goose Returns to the Lake",
    ])
    func namesOfPeopleAndPlacesAreNoCompanies(_ title: String) {
        expect(TickerExtractor().tickers(title: title).isEmpty)
    }

    @Test(arguments: [
        ("Ford recalls 200,000 trucks over brakes", "F"),
        ("Hilton shares rise after results", "HLT"),
        ("Magna beats estimates as sales rise", "MGA"), ("Freddie Mac posts a profit", "FMCC"),
        ("Microsoft unveils a phone", "MSFT"), ("Werner Enterprises moves", "WERN"),
        ("Henry Schein raises its outlook", "HSIC"), ("Howard Hughes shares rise", "HHH"),
        ("Sherwin-Williams paint is late", "SHW"), ("Morgan Stanley moves to Leeds", "MS"),
    ])
    func wordsAboutBusinessMakeThemCompanies(_ title: String, _ symbol: String) {
        expectEqual(TickerExtractor().tickers(title: title).map(\.text), [symbol])
    }

    @Test(arguments: [
        "Toyota Stadium gets a new roof before the shares of the club are sold",
        "William Boeing house opens after sales of tickets", "Citizens of Hershey sued over a dam",
        "Tesla coil sales rise", "Pepsi of old", "Wendy opens a stall and raises prices",
        "3M people march over prices", "Dover Castle raises prices",
        "Disney and the art of the fairy tale", "Intel from the front",
    ])
    func namesThatOthersBearAreNoCompanies(_ title: String) {
        expect(TickerExtractor().tickers(title: title).isEmpty)
    }

    @Test(arguments: [
        ("Toyota shares rise at the stadium", ["TM"]), ("Boeing hires in Seattle", ["BA"]),
        ("Wendy's adds a salad", ["WEN"]), ("Wendys adds a salad", ["WEN"]),
        ("3M cuts costs", ["MMM"]), ("Disney opens a park", ["DIS"]),
        ("Fannie and Freddie overhauled", ["FNMA", "FMCC"]),
        ("Delta and Southwest raise fees for bags", ["DAL", "LUV"]),
        ("Workers at Delta win a rise", ["DAL"]),
        ("Target and Gap report sales", ["TGT", "GAP"]), ("Carnival fined", ["CCL"]),
        ("HP to hire in Spain", ["HPQ"]),
        ("Oracle chief speaks", ["ORCL"]),
    ])
    func companiesAreKnownByWhatTheyDo(_ title: String, _ symbols: [String]) {
        expectEqual(TickerExtractor().tickers(title: title).map(\.text), symbols)
    }

    @Test func symbolsOfAShortQuestionAndOfHoldingsCount() throws {
        let extractor = TickerExtractor()
        let held: Set<Ticker> = [try require(Ticker("QZQ"))]
        let find = { (text: String, holdings: Set<Ticker>) in
            extractor.tickers(title: text, text: text, holdings: holdings).map(\.text)
        }
        expectEqual(find("Is AAPL a buy?", []), ["AAPL"])
        expectEqual(find("What about QZQ?", held), ["QZQ"])
        expectEqual(find("What about QZQ?", []), [])
        expectEqual(find("IT and CEO pay in the US", []), [])
        let long = String(repeating: "word ", count: 40)
        expectEqual(find(long + "AAPL", []), [])
        expectEqual(find(long + "QZQ", held), ["QZQ"])
    }
}

import Expectations
import News
import SeededRandom

@Suite("The body of PUT /v1/preferences", .timeLimit(.minutes(10)))
struct PreferencesRequestTests {
    private func request(_ json: String) throws(NewsError) -> PreferencesRequest {
        try PreferencesRequest(json: Array(json.utf8))
    }

    private func refusal(_ json: String) -> NewsError? {
        do throws(NewsError) {
            _ = try request(json)
            return nil
        } catch {
            return error
        }
    }

    private let sentence = "Invalid ticker format. Use 1-5 letters/numbers (e.g., AAPL, NVDA)"

    @Test func holdingsAreTextsOrObjects() throws {
        let request = try request(
            """
            {"focus_profile":"focused","holdings":["AAPL"," msft ",
             {"ticker":"tsla","label":"Tesla - Growth","notes":"Tech/EV exposure"}]}
            """
        )
        expectEqual(request.focusProfile, .focused)
        expectEqual(
            request.holdings,
            [
                .init(ticker: Ticker("AAPL")!),
                .init(ticker: Ticker("MSFT")!),
                .init(
                    ticker: Ticker("TSLA")!,
                    label: "Tesla - Growth",
                    notes: "Tech/EV exposure"
                ),
            ]
        )
    }

    @Test func keyThatIsLeftOutOrNullChangesNothing() throws {
        let before = NewsPreferences(
            focusProfile: .broad,
            holdings: [.init(ticker: Ticker("AAPL")!)]
        )
        for json in ["{}", #"{"focus_profile":null,"holdings":null}"#, #"{"other":1}"#] {
            try expectEqual(request(json).applied(to: before), before)
        }
        let focused = try request(#"{"focus_profile":"focused"}"#).applied(to: before)
        expectEqual(focused.focusProfile, .focused)
        expectEqual(focused.holdings, before.holdings)
    }

    @Test func emptyListEmptiesTheHoldings() throws {
        let before = NewsPreferences(holdings: [.init(ticker: Ticker("AAPL")!)])
        try expect(request(#"{"holdings":[]}"#).applied(to: before).holdings.isEmpty)
    }

    @Test func tickerIsKeptOnceAtItsFirstPlaceWithItsLastTexts() throws {
        let holdings = try request(
            """
            {"holdings":["aapl","MSFT",{"ticker":"AAPL","label":"L"},{"ticker":"AAPL","notes":"N"},
             {"ticker":"AAPL","label":" ","notes":""}]}
            """
        ).holdings
        expectEqual(
            holdings,
            [
                .init(ticker: Ticker("AAPL")!, label: "L", notes: "N"),
                .init(ticker: Ticker("MSFT")!),
            ]
        )
    }

    @Test(arguments: [
        #""""#, #""BRK.B""#, #""TOOLONG""#, #""A B""#, #"{}"#, #"{"ticker":null}"#,
        #"{"ticker":""}"#, #"{"ticker":5}"#, #"{"ticker":"ÄPL"}"#, #"{"ticker":"A\u0000"}"#,
    ])
    func otherTickersHaveTheDocumentedError(holding: String) throws {
        let error = try require(refusal(#"{"holdings":["AAPL",\#(holding)]}"#))
        expectEqual(error.status, 400)
        expectEqual(error.error, sentence)
        expectEqual(error.details?.hasPrefix("holdings[1]"), true, "\(error)")
    }

    @Test(arguments: [
        #"{"holdings":"AAPL"}"#, #"{"holdings":{}}"#, #"{"holdings":[5]}"#, #"{"holdings":[null]}"#,
        #"{"holdings":[["AAPL"]]}"#, #"{"holdings":[{"ticker":"AAPL","label":5}]}"#,
        #"{"focus_profile":"narrow"}"#, #"{"focus_profile":""}"#, #"{"focus_profile":1}"#, "[]",
        "null", "", "{", #"{"holdings":[}"#,
    ])
    func otherBodiesAreRefused(json: String) throws {
        let error = try require(refusal(json), "\(json)")
        expectEqual(error.status, 400)
        expect(error.error != sentence)
        expectEqual(error.details?.isEmpty, false)
    }

    @Test(arguments: [#""narrow""#, #""""#, "1", "[]", "true"])
    func errorOfAFocusProfileListsTheThree(value: String) {
        let details = refusal(#"{"focus_profile":\#(value)}"#)?.details
        expectEqual(details?.hasSuffix(#"expected one of "focused", "balanced", "broad""#), true)
    }

    @Test func bodyThatIsNotUTF8IsRefused() {
        #expect(
            throws: NewsError(status: 400, "Invalid request body", details: "body is not UTF-8")
        ) {
            try PreferencesRequest(json: [0x7B, 0xFF, 0x7D])
        }
    }

    @Test func atMost100TickersAreTaken() throws {
        let hundred = (0..<100).map { "\"T\($0)\"" }.joined(separator: ",")
        try expectEqual(request(#"{"holdings":[\#(hundred),"t99"]}"#).holdings?.count, 100)
        let error = try require(refusal(#"{"holdings":[\#(hundred),"T100"]}"#))
        expectEqual(error.error, "Too many holdings")
        expectEqual(error.status, 400)
    }

    @Test func labelsAndNotesAreBounded() throws {
        func json(_ key: String, _ count: Int) -> String {
            let text = String(repeating: "x", count: count)
            return #"{"holdings":[{"ticker":"A","\#(key)":"\#(text)"}]}"#
        }
        try expectEqual(request(json("label", 100)).holdings?.first?.label?.count, 100)
        try expectEqual(request(json("notes", 500)).holdings?.first?.notes?.count, 500)
        expectEqual(refusal(json("label", 101))?.error, "Invalid value of holdings[0].label")
        expectEqual(refusal(json("notes", 501))?.error, "Invalid value of holdings[0].notes")
    }

    /// Whatever arrives is taken or refused with 400.
    @Test(arguments: 0..<20)
    func changedBodiesAreTakenOrRefused(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let body = Array(
            #"{"focus_profile":"focused","holdings":["AAPL",{"ticker":"T","label":"L"}]}"#.utf8
        )
        for _ in 0..<200 {
            var changed = body
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<changed.count, using: &random)
                changed[index] = UInt8.random(in: 0...255, using: &random)
            }
            do throws(NewsError) {
                let holdings = try PreferencesRequest(json: changed).holdings ?? []
                expectEqual(Set(holdings.map(\.ticker)).count, holdings.count, "seed \(seed)")
            } catch {
                expectEqual(error.status, 400, "seed \(seed)")
            }
        }
    }
}

import Expectations

@testable import NewsApp

@Suite("Searches in NewsAPI's form", .timeLimit(.minutes(10)))
struct SearchTermsTests {
    @Test(
        arguments: [
            ("fed rates", ["fed", "rates"], []), ("  fed\trates\n", ["fed", "rates"], []),
            (#""interest rates" fed"#, ["interest rates", "fed"], []),
            ("+fed -crypto", ["fed"], ["crypto"]),
            (#"fed -"interest rates""#, ["fed"], ["interest rates"]),
            (#"fed "open phrase"#, ["fed", "open phrase"], []), ("fed-chair", ["fed-chair"], []),
            ("", [], []), ("- + \" ( & ", [], []), (#""""#, [], []), ("a\"b", ["a\"b"], []),
        ] as [(String, [String], [String])]
    )
    func termsAreWordsAndPhrases(text: String, required: [String], excluded: [String]) {
        let terms = SearchTerms(text)
        expectEqual(terms.required, required)
        expectEqual(terms.excluded, excluded)
    }

    @Test func termsHaveALimit() {
        let terms = SearchTerms(String(repeating: "a -b ", count: 100))
        expectEqual(terms.required.count + terms.excluded.count, SearchTerms.countMax)
    }
}

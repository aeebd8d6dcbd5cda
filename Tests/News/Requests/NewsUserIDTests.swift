import News
import Testing

@Suite("The user of a request", .timeLimit(.minutes(10)))
struct NewsUserIDTests {
    private func user(_ header: String?, _ query: String?, dev: Bool = false) throws(NewsError)
        -> String
    {
        try NewsUserID(header: header, query: query, isDevelopment: dev).text
    }

    @Test func headerComesBeforeTheQuery() throws {
        #expect(try user("a", "b") == "a")
        #expect(try user(nil, "b") == "b")
        #expect(try user("", "b") == "b")
    }

    @Test func requestWithoutAUserIsRefusedExceptInDevelopment() throws {
        #expect(throws: NewsError.userIDRequired) { try user(nil, nil) }
        #expect(throws: NewsError.userIDRequired) { try user("", "") }
        #expect(try user(nil, nil, dev: true) == "1")
        #expect(try user("7", nil, dev: true) == "7")
    }

    @Test func idHasOneTo64LettersDigitsUnderscoresAndHyphens() throws {
        let longest = String(repeating: "Z", count: 64)
        for id in ["1", "azAZ09_-", longest] { #expect(try user(id, nil) == id) }
        for id in [" ", "a b", "a.b", "ä", "a\n", "a:b", longest + "z"] {
            #expect(throws: NewsError.invalidUserID(id)) { try user(id, "1", dev: true) }
        }
    }

    @Test func refusedIDIsShownInPart() {
        let error = NewsError.invalidUserID(String(repeating: "x", count: 1000))
        #expect(error.status == 400)
        #expect(error.details?.contains("expected 1 to 64 letters, digits, _ and -") == true)
        #expect(error.json().count < 250)
    }
}

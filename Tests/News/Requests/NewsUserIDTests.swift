import Expectations
import News

@Suite("The user of a request", .timeLimit(.minutes(10)))
struct NewsUserIDTests {
    private func user(_ header: String?, _ query: String?, dev: Bool = false) throws(NewsError)
        -> String
    {
        let headers = [header].compactMap(\.self)
        return try NewsUserID(headers: headers, query: query, isDevelopment: dev).text
    }

    @Test func headerComesBeforeTheQuery() throws {
        try expectEqual(user("a", "b"), "a")
        try expectEqual(user(nil, "b"), "b")
        try expectEqual(user("", "b"), "b")
    }

    @Test func requestWithoutAUserIsRefusedExceptInDevelopment() throws {
        #expect(throws: NewsError.userIDRequired) { try user(nil, nil) }
        #expect(throws: NewsError.userIDRequired) { try user("", "") }
        try expectEqual(user(nil, nil, dev: true), "1")
        try expectEqual(user("7", nil, dev: true), "7")
    }

    @Test(arguments: [
        "1", "azAZ09_-", "auth0|0a1b2c3d4e5f", "ann@example.com", "000123.9a8b7c6d.0456",
        "https://id.example.org/#me", "a:b", "a b", "50%", "ångström", "用户一",
        String(repeating: "Z", count: 255), String(repeating: "é", count: 127) + "x",
    ])
    func idIsAsIdentityProvidersWriteIt(id: String) throws {
        try expectEqual(user(id, nil), id)
        try expectEqual(user(nil, id), id)
    }

    @Test(arguments: [
        "a\n", "\0", "a\u{7F}b", "a\u{85}b", "\t", String(repeating: "Z", count: 256),
        String(repeating: "é", count: 128), "a\u{FFFD}",
    ])
    func idWithControlCharactersOrOver255BytesIsRefused(id: String) throws {
        #expect(throws: NewsError.invalidUserID(id)) { try user(id, "1", dev: true) }
    }

    @Test func severalHeadersNameNoUser() {
        #expect(throws: NewsError.severalUserIDs(count: 2)) {
            try NewsUserID(headers: ["ann", "bob"], query: nil, isDevelopment: true)
        }
    }

    /// As the store compares them: both users have rows of their own.
    @Test func twoFormsOfOneLetterAreTwoUsers() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        expectEqual(composed, decomposed)
        expect(NewsUserID(composed) != NewsUserID(decomposed))
        expectEqual(Set([composed, decomposed].map { NewsUserID($0) }).count, 2)
    }

    @Test func refusedIDIsShownInPart() {
        let error = NewsError.invalidUserID(String(repeating: "x", count: 1000))
        expectEqual(error.status, 400)
        expectEqual(error.details?.contains("1000 bytes, expected 1 to 255 bytes of UTF-8"), true)
        expect(error.json().count < 250)
    }
}

import Expectations
import Wire

@testable import Service

@Suite("The API key and the token of a request", .timeLimit(.minutes(10)))
struct PresentedKeyTests {
    private func headers(_ fields: [(String, String)]) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, value) in fields { headers.append(name, value) }
        return headers
    }

    @Test(arguments: [
        [("X-API-Key", "k")], [("x-api-key", "k")], [("Authorization", "apikey k")],
        [("authorization", "ApiKey   k")], [("Authorization", "APIKEY\tk")],
        [("Authorization", "Basic eDp5"), ("X-API-Key", "k")],
        [("Authorization", "Bearer t"), ("X-API-Key", "k")],
    ])
    func oneKeyIsRead(fields: [(String, String)]) {
        expectEqual(PresentedKey(headers(fields)), .key("k"))
    }

    @Test(
        arguments: [
            [], [("Authorization", "Bearer k")], [("Authorization", "k")], [("Authorization", "")],
            [("Authorization", "apikeyk")], [("X-Key", "k")],
        ] as [[(String, String)]]
    )
    func requestWithoutAKeyHasNone(fields: [(String, String)]) {
        expectEqual(PresentedKey(headers(fields)), .none)
    }

    @Test(arguments: [
        ([("X-API-Key", "k"), ("X-API-Key", "k")], "found 2 API keys, expected one"),
        ([("X-API-Key", "k"), ("x-api-key", "")], "found 2 API keys, expected one"),
        ([("X-API-Key", "k"), ("Authorization", "apikey k")], "found 2 API keys, expected one"),
        ([("X-API-Key", "")], "found an empty API key, expected one"),
        ([("Authorization", "apikey")], "found an empty API key, expected one"),
        ([("Authorization", "apikey  ")], "found an empty API key, expected one"),
        (
            [("Authorization", "apikey k"), ("Authorization", "Bearer t")],
            "found 2 headers Authorization, expected one"
        ),
        (
            [("Authorization", "Bearer t"), ("Authorization", "Bearer t"), ("X-API-Key", "k")],
            "found 2 headers Authorization, expected one"
        ),
    ])
    func severalKeysAndAnEmptyOneAreRefused(fields: [(String, String)], reason: String) {
        expectEqual(PresentedKey(headers(fields)), .malformed(reason: reason))
    }

    /// A key with a space or a comma is not cut: it is another key.
    @Test(arguments: ["k k", "k, k", "k,"])
    func keyIsTheWholeValue(value: String) {
        expectEqual(PresentedKey(headers([("X-API-Key", value)])), .key(value))
        expectEqual(PresentedKey(headers([("Authorization", "apikey " + value)])), .key(value))
    }

    @Test func tokenIsThatOfTheOneAuthorization() {
        expectEqual(BearerToken(headers([("Authorization", "bearer  t")]))?.text, "t")
        for fields in [
            [("Authorization", "Bearer")], [("Authorization", "Bearer a b")], [],
            [("Authorization", "apikey t")],
            [("Authorization", "Bearer t"), ("Authorization", "Bearer t")],
        ] as [[(String, String)]] {
            expectNil(BearerToken(headers(fields)))
        }
    }
}

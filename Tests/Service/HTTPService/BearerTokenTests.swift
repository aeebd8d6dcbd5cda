import Expectations
import Wire

@testable import Service

@Suite("RFC 6750 §2.1: Authorization", .timeLimit(.minutes(10))) struct BearerTokenTests {
    @Test(
        arguments: [
            ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER abc", "abc"),
            ("Bearer  abc ", "abc"), (nil, nil), ("", nil), ("Bearer", nil), ("Bearer ", nil),
            ("Basic abc", nil), ("Bearer a b", nil), ("Bearerabc", nil), ("abc", nil),
        ] as [(String?, String?)]
    )
    func tokenStandsBehindItsScheme(value: String?, token: String?) {
        var headers = HTTPHeaders()
        if let value { headers.append("Authorization", value) }
        expectEqual(BearerToken(headers)?.text, token)
    }
}

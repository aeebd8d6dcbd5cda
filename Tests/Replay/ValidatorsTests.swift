import Expectations
import Wire

@testable import Replay

@Suite("RFC 9110 §13.1", .timeLimit(.minutes(10))) struct ValidatorsTests {
    private let validators = Validators(
        entityTag: "\"a-1\"",
        lastModified: time("2024-12-09T19:10:00.900Z")
    )

    @Test(
        arguments: [
            ([:], false),
            (["If-None-Match": "\"a-1\""], true),
            (["If-None-Match": "W/\"a-1\""], true),
            (["If-None-Match": "\"a-0\", \"a-1\""], true),
            (["If-None-Match": "\"a-0\"", "if-none-match": "\"a-1\""], true),
            (["If-None-Match": "*"], true),
            (["If-None-Match": "\"a-0\""], false),
            (["If-None-Match": "a-1"], false),
            (["If-Modified-Since": "Mon, 09 Dec 2024 19:10:00 GMT"], true),
            (["If-Modified-Since": "Mon, 09 Dec 2024 19:09:59 GMT"], false),
            (["If-Modified-Since": "Mon, 09 Dec 2024 20:00:00 GMT"], true),
            (["If-Modified-Since": "2024-12-09T19:10:00Z"], false),
            (
                ["If-None-Match": "\"a-0\"", "If-Modified-Since": "Mon, 09 Dec 2024 19:10:00 GMT"],
                false
            ),
            (
                ["If-None-Match": "\"a-1\"", "If-Modified-Since": "Mon, 09 Dec 2000 19:10:00 GMT"],
                true
            ),
        ] as [(HTTPHeaders, Bool)]
    )
    func clientHasTheVersionOrNot(headers: HTTPHeaders, isCurrent: Bool) {
        expectEqual(validators.match(headers), isCurrent)
    }
}

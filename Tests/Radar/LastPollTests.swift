import Expectations

@testable import Radar

@Suite("The last poll of a radar", .timeLimit(.minutes(10)))
struct LastPollTests {
    private static let start = Timestamp(iso8601: "2026-03-02T10:00:00.250Z")!

    @Test(arguments: [
        LastPoll(startedAt: start, isFailed: false),
        LastPoll(startedAt: start, isFailed: true, failures: ["one": .unreachable]),
        LastPoll(
            startedAt: start,
            isFailed: true,
            failures: Dictionary(
                uniqueKeysWithValues: SourceFailure.allCases.map { ("of \($0)", $0) }
            )
        ),
    ])
    func pollIsReadAsItWasStored(poll: LastPoll) {
        expectEqual(LastPoll(stored: poll.stored()), poll)
    }

    @Test func storedTextIsTheSameForTheSamePoll() {
        let poll = LastPoll(
            startedAt: Self.start,
            isFailed: false,
            failures: ["b": .later, "a": .failing]
        )
        expectEqual(
            String(decoding: poll.stored(), as: UTF8.self),
            #"{"startedAt":1772445600250,"failed":false,"failures":"#
                + #"{"a":"failing","b":"later"}}"#
        )
    }

    /// It refuses a radar with a reason that it does not know.
    @Test func formerReleaseKnowsAllStoredReasons() throws {
        let poll = LastPoll(
            startedAt: Self.start,
            isFailed: false,
            failures: ["b": .unusable, "a": .later]
        )
        expectEqual(
            String(decoding: poll.stored(), as: UTF8.self),
            #"{"startedAt":1772445600250,"failed":false,"failures":"#
                + #"{"a":"later","b":"failing"},"unusable":["b"]}"#
        )
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"startedAt":1,"failed":true}"#,
        #"{"startedAt":1,"failed":"true","failures":{}}"#,
        #"{"startedAt":-1,"failed":true,"failures":{}}"#,
        #"{"startedAt":1,"failed":true,"failures":{"a":"tired"}}"#,
        #"{"startedAt":1,"failed":true,"failures":["later"]}"#,
        #"{"startedAt":1,"failed":true,"failures":{},"unusable":["a"]}"#,
        #"{"startedAt":1,"failed":true,"failures":{"a":"failing"},"unusable":[1]}"#,
        #"{"startedAt":1,"failed":true,"failures":{"a":"failing"},"unusable":{}}"#,
    ])
    func otherTextsAreNoPoll(text: String) {
        expectNil(LastPoll(stored: Array(text.utf8)))
    }
}

import Core
import Expectations

@Suite("Providers: what a status means", .timeLimit(.minutes(10)))
struct ProviderFailureTests {
    private func failure(
        _ status: Int,
        _ headers: [String: String] = [:],
        _ body: String = ""
    ) -> ProviderFailure? {
        ProviderFailure(response(status, headers, body), notFoundDisables: true)
    }

    private func retryable(_ status: Int, after: Duration? = nil) -> ProviderFailure {
        .retryable(reason: "status \(status)", after: after, isOverload: false)
    }

    @Test(arguments: [200, 201, 204, 299])
    func successIsNoFailure(status: Int) {
        expectNil(failure(status))
    }

    @Test(arguments: [408, 409, 425, 429, 500, 502, 503, 504, 599])
    func whatPassesIsTriedAgain(status: Int) {
        expectEqual(failure(status), retryable(status))
    }

    @Test(arguments: [301, 302, 307, 400, 405, 413, 415, 422])
    func whatWouldFailAgainIsNot(status: Int) {
        expectEqual(failure(status), .permanent(reason: "status \(status)"))
    }

    @Test(arguments: [401, 402, 403, 404])
    func whatOnlyAnOperatorCanMendDisables(status: Int) {
        expectEqual(failure(status), .disabled(reason: "status \(status)"))
        expectEqual(failure(status, ["x-should-retry": "true"])?.isDisabled, true)
    }

    @Test func nothingFoundIsNoModelGoneForASourceWithoutModels() {
        expectEqual(
            ProviderFailure(response(404), notFoundDisables: false),
            .permanent(reason: "status 404")
        )
    }

    @Test func overloadIsToldByStatusOrType() {
        let typed = #"{"error":{"type":"overloaded_error"}}"#
        expectEqual(failure(529), .retryable(reason: "status 529", after: nil, isOverload: true))
        expectEqual(
            failure(500, [:], typed),
            .retryable(reason: "status 500, overloaded_error", after: nil, isOverload: true)
        )
    }

    @Test func providersOwnWordOnRetriesCountsForMoreThanTheStatus() {
        expectEqual(failure(500, ["x-should-retry": "false"]), .permanent(reason: "status 500"))
        expectEqual(failure(400, ["x-should-retry": "true"]), retryable(400))
        expectEqual(failure(500, ["x-should-retry": "maybe"]), retryable(500))
    }

    @Test(arguments: [
        (["retry-after": "17"], Duration.seconds(17)),
        (["retry-after": "0"], .zero),
        (["retry-after": "1.5"], .milliseconds(1500)),
        (["retry-after-ms": "250", "retry-after": "9"], .milliseconds(250)),
        (["retry-after-ms": "soon", "retry-after": "9"], .seconds(9)),
        (["retry-after": "1e12"], .seconds(86_400)),
        (["retry-after": "99999999999999999999"], .seconds(86_400)),
        (
            [
                "retry-after": "Mon, 02 Mar 2026 08:15:30 GMT",
                "date": "Mon, 02 Mar 2026 08:15:00 GMT",
            ], .seconds(30)
        ),
        (
            [
                "retry-after": "Mon, 02 Mar 2026 08:14:00 GMT",
                "date": "Mon, 02 Mar 2026 08:15:00 GMT",
            ], .zero
        ),
    ])
    func waitIsReadInEveryForm(headers: [String: String], wait: Duration) {
        expectEqual(failure(429, headers), retryable(429, after: wait))
    }

    @Test(arguments: [
        ["retry-after": "-1"], ["retry-after": "nan"], ["retry-after": "inf"], ["retry-after": ""],
        ["retry-after": "Mon, 02 Mar 2026 08:15:30 GMT"],
    ])
    func waitThatCannotBeReadIsNone(headers: [String: String]) {
        expectEqual(failure(429, headers), retryable(429))
    }

    @Test(arguments: ["Key sk-1", "has space", "UPPER", "digits0", "", "æ"])
    func typeThatIsNoWordIsNotRepeated(type: String) {
        let body = "{\"error\":{\"type\":\"\(type)\",\"code\":\"plain_word\"}}"
        expectEqual(failure(500, [:], body)?.reason, "status 500, plain_word")
    }

    @Test func errorInsideASuccessHasTheStatusThatItTells() {
        let source = openAI
        func answer(_ code: String) -> ProviderAnswer<Record> {
            source.record(from: response(200, [:], "{\"error\":{\"code\":\(code)}}"))
        }
        expectEqual(answer("429"), .failure(retryable(429)))
        expectEqual(answer("401"), .failure(.disabled(reason: "status 401")))
        expectEqual(answer("200"), .failure(retryable(500)))
        expectEqual(
            answer("\"odd\""),
            .failure(
                .retryable(
                    reason: "status 500, odd",
                    after: nil,
                    isOverload: false
                )
            )
        )
    }
}

extension ProviderFailure {
    fileprivate var isDisabled: Bool {
        if case .disabled = self { true } else { false }
    }
}

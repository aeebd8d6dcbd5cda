import Core
import Expectations

@Suite("Providers: responses", .timeLimit(.minutes(10)))
struct ProviderResponseTests {
    @Test func caseOfHeaderNamesDoesNotCount() {
        expectEqual(response(200, ["Retry-After": "7"]).header("retry-after"), "7")
        expectNil(response(200, ["Retry-After": "7"]).header("retry"))
    }
}

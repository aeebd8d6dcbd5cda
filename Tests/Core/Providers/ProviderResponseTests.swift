import Core
import Testing

@Suite("Providers: responses", .timeLimit(.minutes(10)))
struct ProviderResponseTests {
    @Test func caseOfHeaderNamesDoesNotCount() {
        #expect(response(200, ["Retry-After": "7"]).header("retry-after") == "7")
        #expect(response(200, ["Retry-After": "7"]).header("retry") == nil)
    }
}

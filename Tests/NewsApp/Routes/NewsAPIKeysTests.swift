import Configuration
import News
import Testing

@testable import NewsApp

@Suite("Keys of the apps of /v2", .timeLimit(.minutes(10)))
struct NewsAPIKeysTests {
    private static let long = String(repeating: "k", count: 16_000)

    @Test func callersAreKeptByAsManyBytesWhateverTheirKeys() throws {
        let keys = NewsAPIKeys([], development: true)
        let lengths = try ["", "k", Self.long].map { try keys.admit($0).count }
        #expect(Set(lengths) == [32])
        #expect(try keys.admit("one") != keys.admit("two"))
        #expect(try keys.admit("one") == keys.admit("one"))
        #expect(try keys.admit(nil).isEmpty)
    }

    @Test func wrongKeyIsRefusedInDevelopmentTooWhereKeysAreConfigured() throws {
        let keys = NewsAPIKeys([Secret("one")], development: true)
        #expect(try keys.admit(nil).isEmpty)
        #expect(try keys.admit("one").count == 32)
        #expect(throws: NewsAPIError.self) { try keys.admit("two") }
    }

    @Test func onlyAConfiguredKeyIsAdmitted() throws {
        let keys = NewsAPIKeys([Secret("one"), Secret("two")], development: false)
        #expect(try keys.admit("one") != keys.admit("two"))
        for wrong in ["", "on", "onee", "ONE", Self.long] {
            #expect(throws: NewsAPIError.self) { try keys.admit(wrong) }
        }
        #expect(throws: NewsAPIError.self) { try keys.admit(nil) }
    }
}

import Configuration
import Expectations
import News

@testable import NewsApp

@Suite("Keys of the apps of /v2", .timeLimit(.minutes(10)))
struct NewsAPIKeysTests {
    private static let long = String(repeating: "k", count: 16_000)

    @Test func callersAreKeptByAsManyBytesWhateverTheirKeys() throws {
        let keys = NewsAPIKeys([], development: true)
        let lengths = try ["", "k", Self.long].map { try keys.admit($0).count }
        expectEqual(Set(lengths), [32])
        try expect(keys.admit("one") != keys.admit("two"))
        try expectEqual(keys.admit("one"), keys.admit("one"))
        try expect(keys.admit(nil).isEmpty)
    }

    @Test func wrongKeyIsRefusedInDevelopmentTooWhereKeysAreConfigured() throws {
        let keys = NewsAPIKeys([Secret("one")], development: true)
        try expect(keys.admit(nil).isEmpty)
        try expectEqual(keys.admit("one").count, 32)
        #expect(throws: NewsAPIError.self) { try keys.admit("two") }
    }

    @Test func onlyAConfiguredKeyIsAdmitted() throws {
        let keys = NewsAPIKeys([Secret("one"), Secret("two")], development: false)
        try expect(keys.admit("one") != keys.admit("two"))
        for wrong in ["", "on", "onee", "ONE", Self.long] {
            #expect(throws: NewsAPIError.self) { try keys.admit(wrong) }
        }
        #expect(throws: NewsAPIError.self) { try keys.admit(nil) }
    }
}

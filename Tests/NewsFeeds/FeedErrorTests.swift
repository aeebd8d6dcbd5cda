import Testing

@testable import NewsFeeds

@Suite("Feeds: what is no feed", .timeLimit(.minutes(10)))
struct FeedErrorTests {
    @Test func errorsAreComparedByTheirReason() {
        #expect(FeedError.notAFeed("a") != FeedError.notAFeed("b"))
    }
}

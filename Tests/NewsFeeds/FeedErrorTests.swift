import Expectations

@testable import NewsFeeds

@Suite("Feeds: what is no feed", .timeLimit(.minutes(10)))
struct FeedErrorTests {
    private func error(_ text: String) -> FeedError? {
        do throws(FeedError) {
            _ = try FeedReader().read(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func errorsAreComparedByTheirReason() {
        expect(FeedError.notAFeed("a") != FeedError.notAFeed("b"))
    }

    @Test(arguments: ["", " ", "\r\n\t", "\u{FEFF}"])
    func nothingIsNoFeed(_ text: String) {
        expectEqual(error(text), .empty)
    }

    @Test(arguments: [
        "<html><head><title>Moved</title></head></html>",
        "<!DOCTYPE html>\n<html lang=en><body><p>Hello<br>you</body></html>",
        "<HTML><BODY>Not here</BODY></HTML>",
    ])
    func webPageIsNamed(_ text: String) {
        expectEqual(error(text), .notAFeed("a web page"))
    }

    @Test func rootsOfOtherFormatsAreNamed() {
        expectEqual(error("<svg/>"), .notAFeed("root element \"svg\""))
        expectEqual(error("<item/>"), .notAFeed("root element \"item\""))
    }

    @Test(arguments: [
        "Service unavailable", "404", "<", "<!-- nothing -->", "<?xml version='1.0'?>",
    ])
    func textWithoutAnElementIsNoFeed(_ text: String) {
        expectEqual(error(text), .notAFeed("no XML element"))
    }

    @Test func documentMayHaveTheGreatestLengthAndNoMore() throws {
        let feed = Array("<rss/>".utf8)
        try expectEqual(FeedReader(limits: FeedLimits(lengthMax: 6)).read(feed).format, .rss)
        #expect(throws: FeedError.tooLong(length: 6, limit: 5)) {
            try FeedReader(limits: FeedLimits(lengthMax: 5)).read(feed)
        }
    }

    @Test func descriptionsAreOneLine() {
        let long = String(repeating: "x", count: 1000)
        let text = error("<\(long)/>").map { "\($0)" } ?? ""
        expectEqual(text, "not a feed: root element \"\(long.prefix(40))\"")
        expectEqual("\(FeedError.tooLong(length: 6, limit: 5))", "feed of 6 bytes, over limit 5")
    }
}

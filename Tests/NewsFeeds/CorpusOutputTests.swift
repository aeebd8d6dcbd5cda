import Expectations
import Foundation

@testable import NewsFeeds

/// Reads a folder of feeds for compare.py, which compares the results with those of another reader.
@Suite("Feeds: output for the comparison", .timeLimit(.minutes(10)))
struct CorpusOutputTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static var folder: String? { environment["FEEDPARSER_CORPUS"] }
    private static var output: String? { environment["FEED_OUTPUT"] }

    @Test(
        .enabled(
            if: folder != nil && output != nil,
            "set FEEDPARSER_CORPUS to a folder of feeds and FEED_OUTPUT to the file for the results"
        )
    )
    func everyFileOfTheFolderIsReadAndWrittenAsOneLine() throws {
        let folder = try require(CorpusOutputTests.folder)
        let names = try require(FileManager.default.enumerator(atPath: folder))
            .compactMap { $0 as? String }
            .filter { $0.hasSuffix(".xml") || $0.hasSuffix(".json") }
            .sorted()
        expect(!names.isEmpty)
        var lines: [UInt8] = []
        for name in names {
            let bytes = Array(try Data(contentsOf: URL(filePath: folder + "/" + name)))
            lines += line(name, bytes) + [0x0A]
        }
        try Data(lines).write(to: URL(filePath: try require(CorpusOutputTests.output)))
    }

    private func line(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("file", name)
            do throws(FeedError) {
                let document = try FeedReader().read(bytes)
                json.field("title", document.title)
                json.field("link", document.siteURL)
                json.field("damaged", document.isDamaged)
                json.array("items") { json in document.items.forEach { write($0, to: &json) } }
            } catch {
                json.field("error", error.description)
            }
        }
        return json.bytes
    }

    private func write(_ item: FeedItem, to json: inout JSONWriter) {
        json.object { json in
            json.field("id", item.identifier)
            json.field("link", item.url)
            json.field("title", item.title.text)
            json.field("summary", item.summary.text)
            json.field("content", item.content.text)
            json.field("author", item.author)
            json.array("categories") { json in item.categories.forEach { json.value($0) } }
            json.field("published", item.published.map { Double($0.wholeSeconds) })
            json.field("updated", item.updated.map { Double($0.wholeSeconds) })
        }
    }
}

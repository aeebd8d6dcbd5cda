// NewsFuzz: the news domain's handling of arbitrary bytes from publishers.

import FuzzKit
import NewsFeeds

extension FuzzTarget {
    package static let newsTargets = [
        FuzzTarget("news-feed-xml", lengthMax: 4096, dictionary: "news-feed") {
            try checkXML($0)
        },
        FuzzTarget("news-feed-json", lengthMax: 4096, dictionary: "news-feed") {
            try checkFeed($0, FeedLimits())
            try checkFeed($0, tightLimits)
        },
        FuzzTarget("news-api-json", lengthMax: 4096, dictionary: "news-api") {
            try checkNewsAPI($0, FeedLimits())
            try checkNewsAPI($0, tightLimits)
        },
        FuzzTarget("news-html-text", lengthMax: 4096, dictionary: "news-feed") {
            try checkText(String(decoding: $0, as: UTF8.self))
        },
        FuzzTarget("news-web-page", lengthMax: 4096, dictionary: "news-page") {
            try checkPage($0)
        },
    ]
}

/// Small enough that inputs reach all of them.
private let tightLimits = FeedLimits(
    lengthMax: 2048,
    itemCountMax: 2,
    textLengthMax: 64,
    lineLengthMax: 16,
    urlLengthMax: 32,
    categoryCountMax: 2,
    depthMax: 12
)

/// The first byte chooses the charset of the transport.
private func checkXML(_ bytes: [UInt8]) throws {
    let charsets: [String?] = [nil, "utf-8", "iso-8859-1", "utf-16", "shift_jis", "no-such"]
    let charset = charsets[Int(bytes.first ?? 0) % charsets.count]
    let bytes = Array(bytes.dropFirst())
    try checkFeed(bytes, FeedLimits(), charset: charset)
    try checkFeed(bytes, tightLimits, charset: charset)
}

/// A feed within its limits, or a documented error.
private func checkFeed(_ bytes: [UInt8], _ limits: FeedLimits, charset: String? = nil) throws {
    let reader = FeedReader(limits: limits)
    let document: FeedDocument
    do throws(FeedError) {
        document = try reader.read(bytes, charset: charset, url: "https://feed.example/a/b")
    } catch {
        try expect(error != .empty || bytes.count < 8 || isBlank(bytes), "empty, of \(bytes.count)")
        return try checkDescription(error.description)
    }
    let again = try? reader.read(bytes, charset: charset, url: "https://feed.example/a/b")
    try expect(again == document, "twice is not the same")
    try checkLine(document.title, limits)
    try expect(!document.title.contains("\n"), "a title of two lines")
    try checkAddress(document.siteURL, limits)
    try expect(document.skippedHours.allSatisfy { (0...23).contains($0) }, "an hour")
    try expect(document.pollInterval.map { $0 > .zero } ?? true, "an interval")
    try expect(document.items.count <= limits.itemCountMax, "\(document.items.count) items")
    for item in document.items { try checkItem(item, limits) }
}

func checkItem(_ item: FeedItem, _ limits: FeedLimits) throws {
    try checkAddress(item.url, limits)
    try checkAddress(item.imageURL, limits)
    try checkLine(item.identifier ?? "", limits)
    try checkLine(item.title.text, limits)
    try checkLine(item.author ?? "", limits)
    try expect(item.categories.count <= limits.categoryCountMax, "categories")
    try expect(Set(item.categories).count == item.categories.count, "a category twice")
    for category in item.categories { try checkLine(category, limits) }
    for text in [item.summary, item.content] {
        try expect(text.text.utf8.count <= limits.textLengthMax, "a text is too long")
        _ = text.plain
    }
    try expect(!item.title.line.contains("\n"), "a title of two lines")
}

func checkLine(_ text: String, _ limits: FeedLimits) throws(Violation) {
    try expect(text.utf8.count <= limits.lineLengthMax, "\(text.utf8.count) bytes")
}

private func checkAddress(_ url: String?, _ limits: FeedLimits) throws(Violation) {
    guard let url else { return }
    try expect(url.utf8.count <= limits.urlLengthMax, "an address of \(url.utf8.count) bytes")
    let start = url.lowercased()
    try expect(start.hasPrefix("http://") || start.hasPrefix("https://"), "not of the web: \(url)")
}

/// Without marks and characters there is nothing in any encoding. The last bytes may be a part of a
/// character.
private func isBlank(_ bytes: [UInt8]) -> Bool {
    bytes.dropLast(3).allSatisfy { $0 <= 0x20 || $0 >= 0x80 }
}

/// A text without markup and layout: escaped again, it is the same.
private func checkText(_ html: String) throws(Violation) {
    let lengthMax = 1 << 20
    let text = HTMLText.plain(html, lengthMax: lengthMax)
    try expect(HTMLText.plain(html, lengthMax: lengthMax) == text, "twice is not the same")
    try expect(!text.contains("\n\n"), "an empty line")
    try expect(!text.contains("  "), "two spaces")
    try expect(!text.hasPrefix(" "), "space at the start")
    try expect(!text.hasSuffix(" "), "space at the end")
    let short = HTMLText.plain(html, lengthMax: 10)
    try expect(short.utf8.count <= 10, "\(short.utf8.count) bytes over 10")
}

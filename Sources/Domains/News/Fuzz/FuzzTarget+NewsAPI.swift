import FuzzKit
import NewsFeeds

/// Articles within their limits, or a documented error.
func checkNewsAPI(_ bytes: [UInt8], _ limits: FeedLimits) throws {
    let reader = NewsAPIReader(limits: limits)
    let document: FeedDocument
    do throws(NewsAPIFailure) {
        document = try reader.read(bytes)
    } catch {
        let text = error.description
        try expect(text.utf8.count < 2000, "a description of \(text.utf8.count) bytes")
        try expect(!text.contains("\n"), "a description of two lines")
        return try expect(!text.isEmpty, "no description")
    }
    let again = try? reader.read(bytes)
    try expect(again == document, "twice is not the same")
    try expect(document.items.count <= limits.itemCountMax, "\(document.items.count) items")
    for item in document.items {
        try checkItem(item, limits)
        try checkLine(item.publisher ?? "", limits)
        try expect(item.title.text != "[Removed]", "an article that was taken back")
        try expect(item.publisher != "", "an empty publisher")
    }
}

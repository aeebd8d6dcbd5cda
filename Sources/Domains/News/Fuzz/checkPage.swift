import FuzzKit
import NewsFeeds

/// Small enough that inputs reach all of them.
private let tightLimits = WebPageLimits(
    lengthMax: 2048,
    textLengthMax: 64,
    lineLengthMax: 16,
    urlLengthMax: 32,
    depthMax: 12,
    blockCountMax: 4
)

private let contentTypes: [String?] = [
    "text/html", nil, "text/html; charset=utf-8", "text/html;charset=\"iso-8859-1\"",
    "application/xhtml+xml; charset=shift_jis", "text/html; charset=utf-16",
    "text/html; charset=no-such", "application/rss+xml",
]

/// A page within its limits, or a documented error. The first byte chooses the header
/// `Content-Type`.
func checkPage(_ bytes: [UInt8]) throws(Violation) {
    let contentType = contentTypes[Int(bytes.first ?? 0) % contentTypes.count]
    let html = Array(bytes.dropFirst())
    try checkPage(html, contentType, WebPageLimits())
    try checkPage(html, contentType, tightLimits)
}

private func checkPage(
    _ html: [UInt8],
    _ contentType: String?,
    _ limits: WebPageLimits
) throws(Violation) {
    let reader = WebPageReader(limits: limits)
    let page: WebPage
    do throws(WebPageError) {
        page = try reader.read(html, contentType: contentType)
    } catch {
        return try checkDescription(error.description)
    }
    try expect(
        contentType.map { WebPageReader.isHTML(contentType: $0) } ?? true,
        "a page of another media type"
    )
    let again = try? reader.read(html, contentType: contentType)
    try expect(again == page, "twice is not the same")
    try checkLine(page.title, limits)
    try checkLine(page.summary, limits)
    if let siteName = page.siteName {
        try expect(!siteName.isEmpty, "a site without a name")
        try checkLine(siteName, limits)
    }
    if let language = page.language {
        try expect(!language.isEmpty, "an empty language")
        try expect(language == language.lowercased(), "a language in upper case")
    }
    try checkURL(page.canonicalURL, limits)
    try checkText(page.text, limits)
}

private func checkLine(_ line: String, _ limits: WebPageLimits) throws(Violation) {
    try expect(line.utf8.count <= limits.lineLengthMax, "a line of \(line.utf8.count) bytes")
    try expect(!line.contains("\n"), "a line with a line feed")
    try expect(!line.hasPrefix(" "), "space at the start of a line")
    try expect(!line.hasSuffix(" "), "space at the end of a line")
}

private func checkURL(_ url: String?, _ limits: WebPageLimits) throws(Violation) {
    guard let url else { return }
    try expect(url.utf8.count <= limits.urlLengthMax, "a URL of \(url.utf8.count) bytes")
    let start = url.lowercased()
    try expect(start.hasPrefix("http://") || start.hasPrefix("https://"), "not of the web: \(url)")
    let authority = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last?
        .prefix { !"/?#".contains($0) }
    try expect(authority.map { !$0.isEmpty && !$0.contains("@") } ?? false, "no host: \(url)")
    try expect(url.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }, "a space")
}

private func checkText(_ text: String, _ limits: WebPageLimits) throws(Violation) {
    try expect(text.utf8.count <= limits.textLengthMax, "a text of \(text.utf8.count) bytes")
    try expect(!text.contains("\n\n"), "an empty line")
    try expect(!text.contains("  "), "two spaces")
    try expect(!text.hasPrefix("\n"), "a line feed at the start")
    try expect(!text.hasSuffix("\n"), "a line feed at the end")
}

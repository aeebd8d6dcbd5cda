/// Reads JSON Feed 1 and 1.1 (https://www.jsonfeed.org/version/1.1/).
///
/// A value of another type than the specification's counts as left out: one item with a fault is no
/// reason to lose the others.
struct JSONFeed {
    let limits: FeedLimits
    let isDamaged: Bool
    let url: String?

    func read(_ bytes: [UInt8]) throws(FeedError) -> FeedDocument {
        let fields: JSONFields
        do throws(JSONError) {
            fields = JSONFields(try JSONReader.fields(of: bytes[...]))
        } catch {
            throw .notAFeed("JSON with an error at \(error)")
        }
        guard let version = fields.text("version"), version.contains("jsonfeed.org/version/1")
        else {
            throw .notAFeed("JSON without the version of JSON Feed")
        }
        var document = FeedDocument(format: .jsonFeed)
        document.isDamaged = isDamaged
        document.title = fields.text("title").map { limits.line($0) } ?? ""
        document.siteURL = limits.address(fields.text("home_page_url"), base: url)
        document.language = fields.text("language").flatMap(languageTag)
        let base = url ?? document.siteURL
        for element in fields.elements("items") {
            guard let fields = JSONFields(element) else { continue }
            document.items.append(item(fields, base: base))
            if document.items.count >= 2 * limits.itemCountMax {
                document.items.keepNewest(limits.itemCountMax)
            }
        }
        document.items.keepNewest(limits.itemCountMax)
        return document
    }

    private func item(_ fields: JSONFields, base: String?) -> FeedItem {
        var item = FeedItem()
        // A number is not valid, but "should be accepted" by the specification.
        item.identifier = (fields.text("id") ?? fields.number("id")).map { limits.line($0) }
        item.title = FeedText(limits.line(fields.text("title") ?? ""))
        let external = limits.address(fields.text("external_url"), base: base)
        let permanent = item.identifier.flatMap { WebURL.isAbsolute($0) ? $0 : nil }
        item.url = limits.address(fields.text("url"), base: base) ?? external ?? permanent
        item.summary = FeedText(limits.body(fields.text("summary") ?? ""))
        if let html = fields.text("content_html"), !html.isEmpty {
            item.content = FeedText(limits.body(html), isHTML: true)
        } else {
            item.content = FeedText(limits.body(fields.text("content_text") ?? ""))
        }
        item.author = author(fields)
        item.categories = categories(fields)
        let image = fields.text("image") ?? fields.text("banner_image")
        item.imageURL = limits.address(image, base: base)
        let attachment = fields.elements("attachments").first.flatMap { JSONFields($0) }
        item.enclosureURL = limits.address(attachment?.text("url"), base: base)
        item.published = fields.text("date_published").flatMap(FeedDate.parse)
        item.updated = fields.text("date_modified").flatMap(FeedDate.parse)
        return item
    }

    /// `authors` of version 1.1, or `author` of version 1; the first one with a name.
    private func author(_ fields: JSONFields) -> String? {
        let authors = fields.elements("authors").compactMap { JSONFields($0) }
        let all = authors + [fields.object("author")].compactMap(\.self)
        return all.lazy.compactMap { $0.text("name") }.map { limits.line($0) }.first { !$0.isEmpty }
    }

    private func categories(_ fields: JSONFields) -> [String] {
        var categories: [String] = []
        for tag in fields.elements("tags") {
            guard categories.count < limits.categoryCountMax, let text = JSONReader.shownText(tag)
            else { continue }
            let category = limits.line(text)
            if !category.isEmpty, !categories.contains(category) { categories.append(category) }
        }
        return categories
    }
}

import Base

/// The formats of feeds.
enum FeedForm: String, Decodable, Sendable, CaseIterable {
    /// RSS 2.0.
    case rss
    case atom
    /// JSON Feed 1.1.
    case json

    var contentType: String {
        switch self {
        case .rss: "application/rss+xml; charset=utf-8"
        case .atom: "application/atom+xml; charset=utf-8"
        case .json: "application/feed+json"
        }
    }
}

extension FeedTable.Feed {
    /// The document with the items, the latest first.
    func document(of items: [PresentedItem], updated: Timestamp) -> [UInt8] {
        switch form {
        case .rss: Array(rss(items, updated).utf8)
        case .atom: Array(atom(items, updated).utf8)
        case .json: json(items)
        }
    }

    /// Marks sample feeds, so that readers do not mistake them for a publisher's.
    private var notice: String { "A recording that is played by varde replay; not live data" }

    private func rss(_ items: [PresentedItem], _ updated: Timestamp) -> String {
        let entries = items.map { each in
            """
            <item>
            <title>\(xml(each.item.title))</title>
            <link>\(xml(each.url))</link>
            <guid isPermaLink="true">\(xml(each.url))</guid>
            <pubDate>\(each.time.httpDate)</pubDate>
            <category>\(xml(each.item.tag))</category>
            <description>\(xml(each.item.text))</description>
            </item>

            """
        }
        return """
            <?xml version="1.0" encoding="utf-8"?>
            <rss version="2.0">
            <channel>
            <title>\(xml(title))</title>
            <link>\(xml(home))/</link>
            <description>\(xml(notice))</description>
            <language>\(xml(language))</language>
            <lastBuildDate>\(updated.httpDate)</lastBuildDate>
            \(entries.joined())</channel>
            </rss>

            """
    }

    private func atom(_ items: [PresentedItem], _ updated: Timestamp) -> String {
        let entries = items.map { each in
            """
            <entry>
            <id>\(xml(each.url))</id>
            <title>\(xml(each.item.title))</title>
            <link rel="alternate" href="\(xml(each.url))"/>
            <published>\(each.time.iso8601Seconds)</published>
            <updated>\(each.time.iso8601Seconds)</updated>
            <category term="\(xml(each.item.tag))"/>
            <summary>\(xml(each.item.text))</summary>
            </entry>

            """
        }
        return """
            <?xml version="1.0" encoding="utf-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="\(xml(language))">
            <id>\(xml(home))/</id>
            <title>\(xml(title))</title>
            <subtitle>\(xml(notice))</subtitle>
            <link rel="alternate" href="\(xml(home))/"/>
            <author><name>\(xml(title))</name></author>
            <updated>\(updated.iso8601Seconds)</updated>
            \(entries.joined())</feed>

            """
    }

    private func json(_ items: [PresentedItem]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("version", "https://jsonfeed.org/version/1.1")
            json.field("title", title)
            json.field("home_page_url", home + "/")
            json.field("description", notice)
            json.field("language", language)
            json.array("items") { json in
                for each in items {
                    json.object { json in
                        json.field("id", each.url)
                        json.field("url", each.url)
                        json.field("title", each.item.title)
                        json.field("content_text", each.item.text)
                        json.field("date_published", each.time.iso8601Seconds)
                        json.array("tags") { $0.value(each.item.tag) }
                    }
                }
            }
        }
        return json.bytes
    }
}

/// A text as content or attribute of XML, without the control characters that XML does not allow.
private func xml(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "\t", "\n": result.unicodeScalars.append(scalar)
        case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": continue
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

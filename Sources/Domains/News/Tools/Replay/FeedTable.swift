import Replay

/// The feeds and items of a file under recordings/news.
///
/// The items are in the order of their times, so that a reader of the file sees how a story grows
/// across feeds. Only readers and tests use their key `story`.
struct FeedTable: Sendable {
    /// A publisher's feed.
    struct Feed: Decodable, Equatable, Sendable {
        /// The name in the path: lower-case letters, digits and `-`.
        var name: String
        var form: FeedForm
        var title: String
        /// The URL of the site, without `/` at its end; the URLs of articles begin with it.
        var home: String
        var language: String

        /// `/news/sample-wire.rss`
        var path: String { "/news/\(name).\(form.rawValue)" }
    }

    struct Item: Equatable, Sendable {
        var at: Timestamp
        /// The name of its feed.
        var feed: String
        var story: String
        var tag: String
        /// The last part of its URL.
        var slug: String
        var title: String
        var text: String
    }

    /// The first instant of the recording.
    let begins: Timestamp
    /// The first instant after the recording.
    let ends: Timestamp
    let feeds: [Feed]
    /// Ascending by time.
    let items: [Item]

    private static let feedsMax = 64
    private static let itemsMax = 10_000

    init(_ file: SourceFile) throws(RecordingError) {
        let shape = try file.decode(Shape.self)
        begins = try file.time(shape.begins)
        ends = try file.time(shape.ends)
        feeds = shape.feeds
        var items: [Item] = []
        for each in shape.items {
            items.append(
                Item(
                    at: try file.time(each.at),
                    feed: each.feed,
                    story: each.story,
                    tag: each.tag,
                    slug: each.slug,
                    title: each.title,
                    text: each.text
                )
            )
        }
        self.items = items
        if let problem { throw file.error(problem) }
    }

    func items(of feed: Feed) -> some Sequence<Item> {
        items.lazy.filter { $0.feed == feed.name }
    }

    /// The first invalid value and why; nil if all values are valid.
    private var problem: String? {
        guard (1...FeedTable.feedsMax).contains(feeds.count) else {
            return "has \(feeds.count) feeds, expected 1 to \(FeedTable.feedsMax)"
        }
        guard items.count <= FeedTable.itemsMax else {
            return "has \(items.count) items, over the limit of \(FeedTable.itemsMax)"
        }
        guard begins < ends else { return "ends at \(ends.iso8601), before it begins" }
        var names: Set<String> = []
        for feed in feeds {
            guard FeedTable.isPathPart(feed.name) else {
                return "has the feed '\(feed.name)', expected letters, digits and '-'"
            }
            guard names.insert(feed.name).inserted else { return "has two feeds '\(feed.name)'" }
        }
        var places: Set<String> = []
        var latest = begins
        for item in items {
            guard names.contains(item.feed) else {
                return "has an item of the unknown feed '\(item.feed)'"
            }
            guard FeedTable.isPathPart(item.slug) else {
                return "has the slug '\(item.slug)', expected letters, digits and '-'"
            }
            guard places.insert("\(item.feed)/\(item.slug)").inserted else {
                return "has two items '\(item.slug)' of '\(item.feed)'"
            }
            guard item.at >= latest, item.at < ends else {
                return "has '\(item.slug)' at \(item.at.iso8601), expected"
                    + " \(latest.iso8601) or later, before \(ends.iso8601)"
            }
            latest = item.at
        }
        return nil
    }

    private static func isPathPart(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
            }
    }

    /// The file as JSON, with times as texts.
    private struct Shape: Decodable {
        struct Item: Decodable {
            var at, feed, story, tag, slug, title, text: String
        }

        var begins, ends: String
        var feeds: [Feed]
        var items: [Item]
    }
}

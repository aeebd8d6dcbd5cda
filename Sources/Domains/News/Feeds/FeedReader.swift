// NewsFeeds: RSS, Atom and JSON Feed, from bytes to a `FeedDocument`.

import News

/// Why bytes are no feed.
package enum FeedError: Error, Equatable {
    /// Neither XML of a known root nor JSON Feed.
    case notAFeed(String)
}

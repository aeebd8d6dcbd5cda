// The feeds of publishers, made from files of items. Read NewsRecordings, then FeedTable, then
// Track+Feeds.

import Replay
import Wire

/// The upstreams of the news, made from recordings: feeds in RSS, Atom and JSON Feed.
package struct NewsRecordings: RecordedUpstream {
    private static let kind = RecordedKind(name: "news", title: "news", files: ["file"])

    package static let schema = RecordingSchema(kinds: [kind])

    let track: Track<FeedTable>
    /// The feeds, the same in every table of the track.
    let feeds: [FeedTable.Feed]

    package init(_ reader: TrackReader) throws(RecordingError) {
        // All tables must have the feeds of the first one.
        var first: (path: String, feeds: [FeedTable.Feed])?
        track = try reader.track(Self.kind) { files throws(RecordingError) in
            let table = try FeedTable(files[0])
            if let first, first.feeds != table.feeds {
                throw files[0].error("has other feeds than \(first.path)")
            }
            first = first ?? (files[0].path, table.feeds)
            return table
        } check: { table, segment, length in
            segment.from >= table.begins && segment.from + length <= table.ends
                ? nil
                : """
                runs outside its recording, \(table.begins.iso8601) to \(table.ends.iso8601)
                """
        }
        feeds = first?.feeds ?? []
    }

    package var products: [RecordedProduct] {
        feeds.map { feed in
            RecordedProduct(
                path: feed.path,
                name: feed.name,
                contentType: feed.form.contentType,
                version: { track.version(of: feed, at: $0) },
                body: { feed.document(of: track.items(of: feed, until: $0), updated: $0) },
                freshness: { _ in ["Cache-Control": "max-age=60"] }
            )
        }
    }

    package func datesPlayed(of recording: String, kind: RecordedKind) -> [String] {
        track.datesPlayed(of: recording)
    }
}

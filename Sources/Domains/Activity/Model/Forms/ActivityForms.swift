extension ActivityEntry {
    /// An entry of the feed, and the data of its event.
    package func json() -> [UInt8] {
        var json = JSONWriter()
        json.object { write(to: &$0) }
        return json.bytes
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.field("activity_id", id)
        actor.write(asUser: &json)
        json.field("movie_id", filmID)
        json.field("movie_title", filmTitle)
        json.field("movie_poster", filmPosterURL.map { Poster($0).w500 })
        json.field("type", type.rawValue)
        json.field("rating", rating)
        json.field("comment", comment)
        json.field("timestamp", at.iso8601Seconds)
    }
}

extension Page where Item == ActivityEntry {
    /// The answer of `GET /feed/activities`. The cursor is the newest activity of the page, with
    /// which the app requests the following ones.
    ///
    /// - Parameter removals: the number of friendships of the reader that have ended.
    package func json(removals: Int = 0) -> [UInt8] {
        json("activities") { json, entry in
            entry.write(to: &json)
        } beside: { json in
            json.field("cursor", items.map(\.id).max() ?? 0)
            json.field("removals", removals)
        }
    }
}

extension ActivityCatchUp {
    /// The answer of `GET /feed/activities?since=`: as a page, whose `total_count` is the number of
    /// unseen activities.
    package func json(removals: Int = 0) -> [UInt8] {
        let range = PageRange(limit: limit)
        let page = Page(items: entries, totalCount: totalCount, range: range)
        return page.json("activities") { json, entry in
            entry.write(to: &json)
        } beside: { json in
            json.field("cursor", cursor)
            json.field("removals", removals)
        }
    }
}

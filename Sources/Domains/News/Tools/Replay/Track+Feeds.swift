import Replay

/// An item as a reader of the feed sees it.
struct PresentedItem: Equatable, Sendable {
    var item: FeedTable.Item
    /// When it was published, on the clock of the replay.
    var time: Timestamp
    /// The URL contains the presented date, so that the same item of the next night is another
    /// article.
    var url: String
}

extension Track<FeedTable> {
    /// The most items of a feed: its latest ones.
    static var itemsMax: Int { 20 }
    /// Less than a day, so that no document has the same item of two nights.
    static var ageMax: Duration { Timeline.day - .seconds(1) }

    /// The time of the feed's latest item; without one, the beginning of the day.
    func version(of feed: FeedTable.Feed, at clock: Timestamp) -> Timestamp {
        items(of: feed, until: clock, countMax: 1).first?.time
            ?? clock.roundedDown(to: Timeline.day)
    }

    /// The items that the feed has at `time`, the latest first.
    func items(
        of feed: FeedTable.Feed,
        until time: Timestamp,
        countMax: Int = itemsMax
    ) -> [PresentedItem] {
        var presented: [PresentedItem] = []
        var end = time
        let oldest = time - Self.ageMax
        // From segment to segment, into the past.
        while end > oldest, presented.count < countMax {
            let (table, position) = playing(at: end)
            let shift = end - position.time
            let from = max(position.began, oldest) - shift
            let items = table.items(of: feed).filter { $0.at >= from && $0.at <= position.time }
            presented += items.reversed().map { feed.present($0, at: $0.at + shift) }
            end = position.began - .milliseconds(1)
        }
        return Array(presented.prefix(countMax))
    }
}

extension FeedTable.Feed {
    fileprivate func present(_ item: FeedTable.Item, at time: Timestamp) -> PresentedItem {
        PresentedItem(
            item: item,
            time: time,
            url: "\(home)/\(time.iso8601Date)/\(item.slug)"
        )
    }
}

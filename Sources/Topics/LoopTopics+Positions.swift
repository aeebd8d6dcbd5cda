/// Positions that clients bring along, compared with the histories of this hub.
///
/// Nodes that share a store have the same topics, epochs, offsets and cursors at the same place
/// among the commits, but not at the same moment. So a client that changes nodes can bring a
/// position along that its hub has not reached: it is ahead.
extension LoopTopics {
    /// The relation of an epoch to a topic's present history.
    private enum Relation {
        /// It names the history, or the topic before the first publication of the history.
        case same
        /// It names a history that begins after everything that the hub has of the topic.
        case younger
        /// It names a removed history, or a history of another store.
        case other
    }

    private func relation(
        of epoch: String,
        to history: TopicHistory,
        of topic: Topic,
        _ settings: NamespaceSettings
    ) -> Relation {
        guard epoch != history.epoch else { return .same }
        let store = storeEpoch(settings)
        guard let given = TopicEpoch(epoch, of: store),
            let present = TopicEpoch(history.epoch, of: store)
        else { return .other }
        let end = history.topOffset == 0 ? newestCursor : present.beginning
        guard given.beginning <= end else { return .younger }
        // If the topic had been removed after that place, the removed cursors would reach beyond it. The
        // histories may have removed it already: they do with the first loop that processes the removal.
        let removed = max(forgotten[topic], min(newestCursor, histories.forgottenCursor(of: topic)))
        return given.beginning >= removed ? .same : .other
    }

    /// A position by the present name of its history. A position from the time when the topic had
    /// no publications counts in the history that has begun since; any other is returned unchanged.
    package func renamed(_ position: Position, of topic: Topic) -> Position {
        history(of: topic).map { renamed(position, of: topic, $0) } ?? position
    }

    func renamed(
        _ position: Position,
        of topic: Topic,
        _ history: TopicHistory
    ) -> Position {
        let settings = namespaces[topic] ?? .unknown
        switch relation(of: position.epoch, to: history, of: topic, settings) {
        case .same: return Position(offset: position.offset, epoch: history.epoch)
        case .younger, .other: return position
        }
    }

    /// Whether the hub has not reached a position yet, as far as the position shows: its offset is
    /// above the newest, or its epoch is younger than the topic's.
    ///
    /// False for a position that this hub will never reach: of a removed history, of another store,
    /// or of a topic without a history. An invented position can be ahead.
    package func isAhead(_ position: Position, of topic: Topic) -> Bool {
        guard let settings = namespaces[topic], settings.history.count > 0 else { return false }
        let history = history(of: topic) ?? emptyHistory(of: topic, settings)
        return switch relation(of: position.epoch, to: history, of: topic, settings) {
        case .same: position.offset > history.topOffset
        case .younger: true
        case .other: false
        }
    }

    /// Whether the hub has not reached a cursor yet. A cursor of another store can also be above
    /// the newest.
    package func isAhead(cursor: UInt64) -> Bool { cursor > newestCursor }
}

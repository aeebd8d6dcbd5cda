/// The file access that a write needs.
enum WriteNeed: Equatable {
    case file
    /// Only this number of cursors: all its publications are without rows.
    case cursors(Int)

    var cursorsWithoutFile: Int? {
        if case .cursors(let count) = self { count } else { nil }
    }
}

/// The queue of a write.
enum WriteLane {
    /// For the writer, with the memory topics that it is known to use.
    case file(memoryTopics: [Topic])
    /// It only publishes this number of events of memory topics: it can be carried out before a
    /// transaction that waits for the disk.
    case beside(cursors: Int)

    var isBeside: Bool {
        if case .beside = self { true } else { false }
    }
}

extension Write {
    func need(_ isDurable: (Topic) -> Bool) -> WriteNeed {
        switch self {
        case .statements, .composed, .keyExpiry, .cursorReservation, .note: return .file
        case .historyRemoval(let topic): return isDurable(topic) ? .file : .cursors(0)
        case .forgetting(let quiet):
            return quiet.contains { isDurable($0.topic) } ? .file : .cursors(0)
        case .change(let change):
            guard !change.hasRows else { return .file }
            let needsFile =
                change.removedHistories.contains(where: isDurable)
                // Of any topic: webhooks about it have rows.
                || !change.erasures.isEmpty
                || change.events.contains {
                    ($0.keepsHistory || $0.isConditional) && isDurable($0.topic)
                }
            return needsFile ? .file : .cursors(change.events.count)
        }
    }

    func lane(_ isDurable: (Topic) -> Bool) -> WriteLane {
        switch self {
        // The publications of a composed write are unknown before its turn.
        case .statements, .composed, .keyExpiry, .cursorReservation, .note:
            .file(memoryTopics: [])
        case .historyRemoval(let topic): .file(memoryTopics: isDurable(topic) ? [] : [topic])
        case .forgetting(let quiet):
            .file(memoryTopics: quiet.map(\.topic).filter { !isDurable($0) })
        case .change(let change): change.lane(isDurable)
        }
    }

    /// The topics of a write with the lane `beside`.
    var eventTopics: [Topic] {
        if case .change(let change) = self { change.events.map(\.topic) } else { [] }
    }
}

extension Change {
    /// Whether it writes more than its events and removals need.
    var hasRows: Bool {
        !(state.isEmpty && feeds.isEmpty && alerts.isEmpty && alertRecords.isEmpty
            && deliveries.isEmpty && notes.isEmpty
            && clock == nil)
    }

    fileprivate func lane(_ isDurable: (Topic) -> Bool) -> WriteLane {
        let inMemoryCount = events.count { !isDurable($0.topic) }
        let touchesOthers = !(removedHistories.isEmpty && erasures.isEmpty)
        if inMemoryCount == 0, !touchesOthers { return .file(memoryTopics: []) }
        if inMemoryCount == events.count, !touchesOthers, !hasRows {
            return .beside(cursors: events.count)
        }
        let topics = events.map(\.topic) + removedHistories + erasures.map(\.topic)
        return .file(memoryTopics: topics.filter { !isDurable($0) })
    }
}

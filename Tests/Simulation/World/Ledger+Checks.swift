import Hub

/// What the invariants are held against.
extension Ledger {
    /// The publication that was committed at this place, also if a loss of power has taken it back.
    func publication(epoch: String, topic: Int, offset: UInt64) -> Publication? {
        histories.named(epoch, of: topic).flatMap {
            committed[PublicationKey(history: $0, offset: offset)]
        }
    }

    func publication(cursor: UInt64) -> Publication? { byCursor[cursor] }

    /// The history of a publication that was committed.
    func history(of publication: Publication) -> HistoryName? {
        historiesByCursor[publication.cursor]
    }

    /// Whether all offsets behind one and before another were erased, also if a loss of power has taken
    /// that back.
    func isErased(epoch: String, topic: Int, after: UInt64, before: UInt64) -> Bool {
        guard after + 1 < before else { return true }
        guard let history = histories.named(epoch, of: topic) else { return false }
        return (after + 1..<before).allSatisfy {
            everErased.contains(PublicationKey(history: history, offset: $0))
        }
    }

    func topOffset(_ topic: Int) -> UInt64 { UInt64(durable.topics[topic].count) }

    /// The cursor of its newest publication, or of what it was before.
    func topCursor(_ topic: Int) -> UInt64 {
        durable.topics[topic].last?.cursor ?? durable.formerCursors[topic]
    }

    /// What was committed to any of `topics` behind one cursor and before another, and not erased.
    func publications(of topics: [Int], after: UInt64, before: UInt64) -> [Publication] {
        var found: [Publication] = []
        for publication in durable.log.reversed() {
            guard publication.cursor > after else { break }
            let topic = Topics.index(publication.topic.name)!
            if publication.cursor < before, topics.contains(topic),
                !durable.erasedCursors.contains(publication.cursor)
            {
                found.append(publication)
            }
        }
        return found
    }

    /// A client was told that its publication is safe. Returns where it is.
    func acknowledge(_ topic: Int, _ payload: [UInt8]) -> Publication? {
        guard let publication = durable.topics[topic].last(where: { $0.payload == payload }) else {
            // A loss of power can take back what a client has not yet read that it has.
            // And it may have been forgotten meanwhile.
            trace.expect(
                takenBack.contains(payload)
                    || durable.log.contains { $0.payload == payload },
                "\(Topics.all[topic]): acknowledged, and not in the store"
            )
            return nil
        }
        acknowledgedCursor = max(acknowledgedCursor, publication.cursor)
        acknowledged.append(
            Acknowledgement(topic: topic, offset: publication.offset, cursor: publication.cursor)
        )
        return publication
    }

    /// A client was told that its publication was not stored.
    func refuse(_ topic: Int, _ payload: [UInt8]) {
        guard !unknown.contains(payload) else { return }
        refused.insert(payload)
        trace.expect(
            !durable.topics[topic].contains { $0.payload == payload },
            "\(Topics.all[topic]): refused, and in the store"
        )
    }

    func checkAcknowledged() {
        for place in acknowledged where !isKept(place) {
            trace.fail("\(Topics.all[place.topic]): acknowledged offset \(place.offset) is lost")
        }
    }

    func isKept(_ place: Acknowledgement) -> Bool {
        let publications = durable.topics[place.topic]
        let index = Int(place.offset) - 1
        return index < publications.count && publications[index].cursor == place.cursor
    }
}

extension StoryBoard {
    /// Looks at the stories again: closes those that have been idle for too long, splits those that
    /// have two topics, and merges those that are alike. Call it once an hour.
    ///
    /// Gives all articles that were published before `now` their turn first.
    package mutating func review(now: Timestamp) -> [StoryEvent] {
        var events = settle(now: now)
        closeIdle(now: now, events: &events)
        splitStories(events: &events)
        mergeStories(events: &events)
        return events
    }

    private mutating func closeIdle(now: Timestamp, events: inout [StoryEvent]) {
        for (_, slot) in slotsByID.sorted(by: { $0.key < $1.key })
        where now > self[slot].updatedAt && decay(between: self[slot].updatedAt, and: now) == 0 {
            close(slot, events: &events)
        }
    }

    /// Slots of stories that have changed since the last review, by id.
    private func changedSlots() -> [Int] {
        slotsByID.sorted { $0.key < $1.key }.map(\.value).filter { self[$0].needsReview }
    }

    // MARK: Splitting

    private mutating func splitStories(events: inout [StoryEvent]) {
        for slot in changedSlots() {
            guard let part = StoryHalves.smallerHalf(of: self[slot], rules: rules) else { continue }
            let (id, newID) = (self[slot].id, nextStoryID)
            let story = change(slot) { $0.split(off: part, id: newID, limits: $1) }
            _ = insert(story)
            events.append(.created(story: newID))
            let articles = story.members.map(\.articleID)
            events.append(.split(story: id, into: newID, articles: articles))
            closeExcess(except: newID, events: &events)
        }
    }

    // MARK: Merging

    private struct Pair {
        var similarity: Double
        /// The older story, which stays.
        var id: Int
        var otherID: Int

        static func precedes(_ one: Pair, _ other: Pair) -> Bool {
            (-one.similarity, one.id, one.otherID) < (-other.similarity, other.id, other.otherID)
        }
    }

    /// Merges the most similar pairs first. A story takes part in at most one merge: a second one
    /// would be judged by a centroid that it no longer has. The next review checks it again.
    private mutating func mergeStories(events: inout [StoryEvent]) {
        let slots = changedSlots()
        let pairs = similarPairs(slots)
        for slot in slots { self.slots[slot]?.needsReview = false }
        for slot in slots { changes.note(story: self[slot].id) }
        var merged: Set<Int> = []
        for pair in pairs where merged.isDisjoint(with: [pair.id, pair.otherID]) {
            guard let slot = slotsByID[pair.id], let other = slotsByID[pair.otherID] else {
                continue
            }
            merged.formUnion([pair.id, pair.otherID])
            let story = remove(other)
            change(slot) { $0.merge(story, limits: $1) }
            changes.note(aliases: aliases.merge(story.id, into: pair.id))
            changes.note(aliases: aliases.trim(to: limits.aliasesMax))
            events.append(.merged(story: story.id, into: pair.id))
        }
    }

    /// Pairs to merge, the most similar ones first. Two stories of which none has changed were
    /// compared by an earlier review.
    private mutating func similarPairs(_ slots: [Int]) -> [Pair] {
        var pairs: [Pair] = []
        for slot in slots {
            let story = self[slot]
            index.multiply(story.centroid, into: &products)
            for otherSlot in products.slots where otherSlot != slot {
                let other = self[otherSlot]
                if other.needsReview, other.id > story.id { continue }
                let lengths = story.centroidLength * other.centroidLength
                let similarity =
                    products[otherSlot] / lengths
                    * decay(between: story.updatedAt, and: other.updatedAt)
                guard similarity >= rules.mergeSimilarityMin,
                    !MarkedSymbols.areOthers(story.symbols, other.symbols)
                else { continue }
                let (id, otherID) = (min(story.id, other.id), max(story.id, other.id))
                pairs.append(Pair(similarity: similarity, id: id, otherID: otherID))
            }
            products.clear()
            if pairs.count > 2 * limits.mergesMax { StoryBoard.trim(&pairs, to: limits.mergesMax) }
        }
        StoryBoard.trim(&pairs, to: limits.mergesMax)
        return pairs
    }

    private static func trim(_ pairs: inout [Pair], to countMax: Int) {
        pairs.sort(by: Pair.precedes)
        if pairs.count > countMax { pairs.removeLast(pairs.count - countMax) }
    }
}

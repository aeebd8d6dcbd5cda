extension StoryBoard {
    /// One less the greatest similarity of an open story to any other one, without decay; 0 for a
    /// story that is not open.
    package mutating func novelty(ofStory id: Int) -> Double {
        guard let slot = slotsByID[id] else { return 0 }
        let story = self[slot]
        index.multiply(story.centroid, into: &products)
        defer { products.clear() }
        var greatest = 0.0
        for other in products.slots where other != slot {
            let lengths = story.centroidLength * self[other].centroidLength
            guard lengths > 0 else { continue }
            greatest = max(greatest, products[other] / lengths)
        }
        return min(max(1 - greatest, 0), 1)
    }
}

/// Whether the articles of a story are about two topics.
///
/// Two-means: the first half begins with the medoid, the second with the article that is least like
/// it. Articles move to the half whose sum is more like them until none moves, at most four times.
enum StoryHalves {
    private static let roundsMax = 4

    /// The positions of the members that a split takes away; nil if the story stays whole.
    static func smallerHalf(of story: OpenStory, rules: StoryRules) -> Set<Int>? {
        let members = story.members
        guard members.count >= 2 * rules.splitMembersMin else { return nil }
        let medoid = members[story.medoidPosition].vector
        let farthest = members.indices.min {
            (members[$0].vector.dot(medoid), members[$0].articleID)
                < (members[$1].vector.dot(medoid), members[$1].articleID)
        }
        guard let farthest else { return nil }
        var (first, second) = (medoid, members[farthest].vector)
        var positions: Set<Int> = []
        for _ in 0..<roundsMax {
            let nearerToSecond = Set(
                members.indices.filter {
                    members[$0].vector.cosine(second) > members[$0].vector.cosine(first)
                }
            )
            if nearerToSecond == positions { break }
            positions = nearerToSecond
            first = sum(members.indices.filter { !positions.contains($0) }, of: members)
            second = sum(positions.sorted(), of: members)
        }
        let sizes = (members.count - positions.count, positions.count)
        guard min(sizes.0, sizes.1) >= rules.splitMembersMin,
            first.cosine(second) < rules.splitSimilarityMax
        else { return nil }
        // The half with most articles keeps the id, of equal halves the one with the medoid. The
        // articles of a long story that the board no longer has also stay with it.
        return sizes.1 <= sizes.0 ? positions : Set(members.indices).subtracting(positions)
    }

    private static func sum(_ positions: [Int], of members: [OpenStory.Member]) -> TermVector {
        positions.reduce(TermVector()) { $0.adding(members[$1].vector) }
    }
}

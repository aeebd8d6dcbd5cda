import Glibc

/// A story that may receive articles.
struct OpenStory: Equatable, Sendable {
    /// An article of the story, as far as the board keeps it.
    struct Member: Equatable, Sendable {
        var articleID: Int
        var publishedAt: Timestamp
        var title: String
        /// Of length 1, or empty.
        var vector: TermVector
    }

    let id: Int
    /// The sum of the articles' vectors, only the heaviest terms.
    private(set) var centroid = TermVector()
    private(set) var centroidLength = 0.0
    /// In the order in which they joined; the oldest are dropped.
    private(set) var members: [Member] = []
    private(set) var articleCount = 0
    private(set) var startedAt: Timestamp
    private(set) var updatedAt: Timestamp
    /// Whether it has changed since the last review.
    var needsReview = true

    init(id: Int, startedAt: Timestamp) {
        self.id = id
        self.startedAt = startedAt
        updatedAt = startedAt
    }

    /// As it was encoded.
    init(
        id: Int,
        centroid: TermVector,
        members: [Member],
        articleCount: Int,
        startedAt: Timestamp,
        updatedAt: Timestamp,
        needsReview: Bool
    ) {
        self.id = id
        self.centroid = centroid
        centroidLength = centroid.length
        self.members = members
        self.articleCount = articleCount
        self.startedAt = startedAt
        self.updatedAt = updatedAt
        self.needsReview = needsReview
    }

    mutating func add(_ member: Member, limits: StoryLimits) {
        setCentroid(centroid.adding(member.vector), limits: limits)
        append([member], limits: limits)
        articleCount += 1
        include(from: member.publishedAt, to: member.publishedAt)
    }

    /// Merges the data of `other`.
    mutating func merge(_ other: OpenStory, limits: StoryLimits) {
        setCentroid(centroid.adding(other.centroid), limits: limits)
        append(other.members, limits: limits)
        articleCount += other.articleCount
        include(from: other.startedAt, to: other.updatedAt)
    }

    /// Gives the members at `positions` to a story of their own, `id`. The others stay.
    mutating func split(off positions: Set<Int>, id: Int, limits: StoryLimits) -> OpenStory {
        let moved = positions.sorted().map { members[$0] }
        assert(!moved.isEmpty)
        var part = OpenStory(id: id, startedAt: moved[0].publishedAt)
        var rest = centroid
        for member in moved {
            part.add(member, limits: limits)
            rest = rest.adding(member.vector, times: -1)
        }
        members = members.indices.filter { !positions.contains($0) }.map { members[$0] }
        articleCount -= moved.count
        setCentroid(rest, limits: limits)
        return part
    }

    /// Takes an article out. One that the story no longer keeps is only counted.
    mutating func remove(article id: Int, limits: StoryLimits) {
        articleCount -= 1
        guard let position = members.firstIndex(where: { $0.articleID == id }) else { return }
        let member = members.remove(at: position)
        setCentroid(centroid.adding(member.vector, times: -1), limits: limits)
    }

    /// Where the medoid is among the members: the sum of its products with all articles is the
    /// product with the centroid.
    var medoidPosition: Int {
        var best = (product: -1.0, position: 0)
        for (position, member) in members.enumerated() {
            let product = member.vector.dot(centroid)
            let isEarlier =
                (member.publishedAt, member.articleID)
                < (members[best.position].publishedAt, members[best.position].articleID)
            if product > best.product || product == best.product && isEarlier {
                best = (product, position)
            }
        }
        return best.position
    }

    /// Where the article is whose title the story has: the one that is most like the others, of
    /// which later ones weigh more. So the title follows what happened, once two reports have it.
    private var titlePosition: Int {
        let newestFirst = members.indices.sorted {
            (members[$1].publishedAt, members[$1].articleID)
                < (members[$0].publishedAt, members[$0].articleID)
        }
        // Weights fall by half each two reports, and in long stories each quarter of them.
        let halfLife = max(2, Double(members.count) / 4)
        var sum = TermVector()
        for (age, position) in newestFirst.enumerated() {
            let weight = pow(0.5, Double(age) / halfLife)
            sum = sum.adding(members[position].vector, times: weight)
        }
        var best = (product: -1.0, position: 0)
        for position in newestFirst {
            let product = members[position].vector.dot(sum)
            if product > best.product { best = (product, position) }
        }
        return best.position
    }

    /// The symbols of companies in the titles of its latest articles; none if most have none.
    var symbols: Set<String> {
        let named = members.map { MarkedSymbols($0.title).symbols }.filter { !$0.isEmpty }
        guard 2 * named.count >= members.count else { return [] }
        return named.reduce(into: []) { $0.formUnion($1) }
    }

    /// The story as others see it.
    var story: Story {
        let medoid = members[titlePosition]
        return Story(
            id: id,
            title: medoid.title,
            medoidArticleID: medoid.articleID,
            articleCount: articleCount,
            latestArticleIDs: members.map(\.articleID),
            startedAt: startedAt,
            updatedAt: updatedAt
        )
    }

    private mutating func append(_ others: [Member], limits: StoryLimits) {
        members += others
        if members.count > limits.membersMax {
            members.removeFirst(members.count - limits.membersMax)
        }
    }

    private mutating func setCentroid(_ vector: TermVector, limits: StoryLimits) {
        centroid = vector.heaviest(limits.centroidTermsMax)
        centroidLength = centroid.length
        needsReview = true
    }

    private mutating func include(from first: Timestamp, to last: Timestamp) {
        startedAt = min(startedAt, first)
        updatedAt = max(updatedAt, last)
    }
}

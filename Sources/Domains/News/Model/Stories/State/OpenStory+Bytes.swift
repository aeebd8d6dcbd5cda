extension OpenStory {
    var bytes: [UInt8] {
        var writer = StoryBytesWriter()
        writer.write(articleCount)
        writer.write(startedAt)
        writer.write(updatedAt)
        writer.write(needsReview ? 1 : 0)
        writer.write(centroid)
        writer.write(members.count)
        for member in members {
            writer.write(member.articleID)
            writer.write(member.publishedAt)
            writer.write(member.title)
            writer.write(member.vector)
        }
        return writer.bytes
    }

    /// Nil for bytes that are not a story.
    init?(id: Int, bytes: [UInt8]) {
        var reader = StoryBytesReader(bytes)
        guard let articleCount = reader.integer(),
            let startedAt = reader.timestamp(), let updatedAt = reader.timestamp(),
            let needsReview = reader.integer(), (0...1).contains(needsReview),
            let centroid = reader.vector(), let memberCount = reader.count(size: 32)
        else { return nil }
        var members: [Member] = []
        for _ in 0..<memberCount {
            guard let articleID = reader.integer(), let publishedAt = reader.timestamp(),
                let title = reader.text(), let vector = reader.vector()
            else { return nil }
            members.append(
                Member(articleID: articleID, publishedAt: publishedAt, title: title, vector: vector)
            )
        }
        guard reader.isAtEnd, !members.isEmpty, articleCount >= members.count,
            startedAt <= updatedAt
        else { return nil }
        self.init(
            id: id,
            centroid: centroid,
            members: members,
            articleCount: articleCount,
            startedAt: startedAt,
            updatedAt: updatedAt,
            needsReview: needsReview == 1
        )
    }
}

extension StoryBoard {
    private static let boardKey = StoryRow.Key(kind: .board, number: 0)

    // MARK: Writing

    /// The whole board, ascending by key.
    package var rows: [StoryRow] {
        let stories = slotsByID.keys.map(row(story:))
        let names = aliases.targets.keys.map(row(alias:))
        let terms = frequencies.counts.keys.map(row(term:))
        return ([boardRow] + stories + names + terms).sorted { $0.key < $1.key }
    }

    /// Returns the changes since the last call, or since the board was restored. They always
    /// include the row of the board.
    package mutating func takeChanges() -> StoryChanges {
        defer { changes.clear() }
        if changes.isComplete { return StoryChanges(replacesAll: true, rows: rows) }
        let stories = changes.stories.map(row(story:))
        let names = changes.aliases.map(row(alias:))
        let terms = changes.terms.map(row(term:))
        let sorted = ([boardRow] + stories + names + terms).sorted { $0.key < $1.key }
        return StoryChanges(replacesAll: false, rows: sorted)
    }

    private var boardRow: StoryRow {
        var writer = StoryBytesWriter()
        writer.write(nextStoryID)
        writer.write(frequencies.documents)
        writer.write(pending.count)
        for article in pending {
            writer.write(article.articleID)
            writer.write(article.publishedAt)
            writer.write(article.title)
            writer.write(article.summary)
            writer.write(article.owner)
        }
        return StoryRow(key: StoryBoard.boardKey, bytes: writer.bytes)
    }

    private func row(story id: Int) -> StoryRow {
        let key = StoryRow.Key(kind: .story, number: Int64(id))
        return StoryRow(key: key, bytes: slotsByID[id].map { self[$0].bytes })
    }

    private func row(alias id: Int) -> StoryRow {
        let key = StoryRow.Key(kind: .alias, number: Int64(id))
        return StoryRow(key: key, bytes: aliases.target(of: id).map(StoryBoard.bytes))
    }

    private func row(term: UInt64) -> StoryRow {
        let key = StoryRow.Key(kind: .term, number: Int64(bitPattern: term))
        return StoryRow(key: key, bytes: frequencies.counts[term].map(StoryBoard.bytes))
    }

    private static func bytes(_ number: Int) -> [UInt8] {
        var writer = StoryBytesWriter()
        writer.write(number)
        return writer.bytes
    }

    // MARK: Reading

    /// The board whose rows these are, in any order.
    ///
    /// - Parameters:
    ///   - rules: may differ from those of the board that was stored.
    ///   - limits: may also differ. Stories beyond them are closed, and counts beyond them halved,
    ///     at the next addition.
    package init(
        restoring rows: [StoryRow],
        rules: StoryRules = StoryRules(),
        limits: StoryLimits = StoryLimits()
    ) throws(StoryStateError) {
        self.init(rules: rules, limits: limits)
        var counts: [UInt64: Int] = [:]
        var documents: Int?
        var lastKey: StoryRow.Key?
        // Stories come before their aliases.
        for row in rows.sorted(by: { $0.key < $1.key }) {
            let key = row.key
            let error = { (message: String) in StoryStateError(key: key, message: message) }
            if key == lastKey { throw error("is there twice") }
            lastKey = key
            guard let bytes = row.bytes else { throw error("has no bytes") }
            switch key.kind {
            case .board:
                guard key == StoryBoard.boardKey else { throw error("has a number other than 0") }
                documents = restoreBoard(bytes)
                if documents == nil { throw error("is not the row of a board") }
            case .story:
                if !restoreStory(key.number, bytes) { throw error("is not a story") }
            case .alias:
                if !restoreAlias(key.number, bytes) { throw error("is not an alias") }
            case .term:
                guard let count = StoryBoard.number(bytes), count > 0,
                    count <= StoryBytesReader.countMax
                else {
                    throw error("is not a count of articles")
                }
                counts[UInt64(bitPattern: key.number)] = count
            }
        }
        guard let documents else {
            throw StoryStateError(key: nil, message: "the row of the board is missing")
        }
        frequencies = TermFrequencies(documents: documents, counts: counts, limits: limits)
        changes.clear()
    }

    private static func number(_ bytes: [UInt8]) -> Int? {
        var reader = StoryBytesReader(bytes)
        guard let number = reader.integer(), reader.isAtEnd else { return nil }
        return number
    }

    /// Returns how many articles were counted; nil if the row is damaged.
    private mutating func restoreBoard(_ bytes: [UInt8]) -> Int? {
        var reader = StoryBytesReader(bytes)
        guard let nextID = reader.integer(), (1...StoryBytesReader.countMax).contains(nextID),
            let documents = reader.integer(), (0...StoryBytesReader.countMax).contains(documents),
            let count = reader.count(size: 40)
        else { return nil }
        for _ in 0..<count {
            guard let articleID = reader.integer(), let publishedAt = reader.timestamp(),
                let title = reader.text(), let summary = reader.text(), let owner = reader.text()
            else { return nil }
            pending.append(
                StoryInput(
                    articleID: articleID,
                    title: title,
                    summary: summary,
                    owner: owner,
                    publishedAt: publishedAt
                )
            )
        }
        nextStoryID = nextID
        return reader.isAtEnd ? documents : nil
    }

    private mutating func restoreStory(_ number: Int64, _ bytes: [UInt8]) -> Bool {
        let id = Int(number)
        guard (1..<nextStoryID).contains(id), let story = OpenStory(id: id, bytes: bytes)
        else { return false }
        _ = insert(story)
        return true
    }

    private mutating func restoreAlias(_ number: Int64, _ bytes: [UInt8]) -> Bool {
        let id = Int(number)
        guard (1..<nextStoryID).contains(id), slotsByID[id] == nil,
            let target = StoryBoard.number(bytes), slotsByID[target] != nil
        else { return false }
        _ = aliases.merge(id, into: target)
        return true
    }
}

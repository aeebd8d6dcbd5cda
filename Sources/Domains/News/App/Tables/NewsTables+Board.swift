import DomainKit
import News

extension NewsTables {
    /// The rows of the board of stories; empty before the first article.
    package func boardRows() throws -> [StoryRow] {
        try session.rows("SELECT kind, number, bytes FROM news_board") { row in
            let kind = try row.value(0) { number in
                UInt8(exactly: number).flatMap { StoryRow.Kind(rawValue: $0) }
            }
            return StoryRow(key: StoryRow.Key(kind: kind, number: try row[1]), bytes: try row[2])
        }
    }

    package func put(_ changes: StoryChanges) throws {
        if changes.replacesAll { try session.run("DELETE FROM news_board") }
        for row in changes.rows {
            if let bytes = row.bytes {
                try session.run(
                    """
                    INSERT INTO news_board (kind, number, bytes) VALUES (?, ?, ?)
                    ON CONFLICT (kind, number) DO UPDATE SET bytes = excluded.bytes
                    """,
                    [Int(row.key.kind.rawValue), row.key.number, bytes]
                )
            } else {
                try session.run(
                    "DELETE FROM news_board WHERE kind = ? AND number = ?",
                    [Int(row.key.kind.rawValue), row.key.number]
                )
            }
        }
    }
}

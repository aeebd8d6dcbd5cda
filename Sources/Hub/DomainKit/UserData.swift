/// One row of what a hub stores about a user.
package struct UserDataRow: Sendable, Equatable {
    /// Greater than those of the rows before it in its section.
    package var key: Int
    /// A JSON object.
    package var json: [UInt8]

    package init(key: Int, json: [UInt8]) {
        self.key = key
        self.json = json
    }
}

/// A list of rows that a part of a hub stores about a user: what the user gets who asks for all their data.
package struct UserDataSection: Sendable {
    /// Lower case letters and underscores; unique in a hub.
    package let name: String
    /// The tables whose rows it has. Each table of the store is in a section, or in the test's list of those that need
    /// not be, with the reason.
    package let tables: Set<String>
    /// The rows behind a key, 0 for the first, in the order of their keys and at most so many. Fewer than the limit are
    /// the last ones.
    ///
    /// - Parameter user: as access tokens name the user.
    package let rows:
        @Sendable (_ user: String, _ after: Int, _ limit: Int) async throws -> [UserDataRow]

    package init(
        _ name: String,
        tables: Set<String>,
        rows:
            @escaping @Sendable (_ user: String, _ after: Int, _ limit: Int) async throws ->
            [UserDataRow]
    ) {
        self.name = name
        self.tables = tables
        self.rows = rows
    }
}

/// A part of what a hub stores about a user, and where the next part begins.
package struct UserDataPage: Sendable, Equatable {
    /// Where a part begins: `ratings:17`, behind the row 17 of this section.
    package struct Place: Sendable, Equatable {
        package var section: String
        package var after: Int

        package init(section: String, after: Int) {
            self.section = section
            self.after = after
        }

        package var text: String { "\(section):\(after)" }

        /// Nil for what `text` does not make.
        package init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, let after = Int(parts[1]), after >= 0,
                String(after).utf8.elementsEqual(parts[1].utf8)
            else { return nil }
            self.init(section: String(parts[0]), after: after)
        }
    }

    /// In the order of the sections. One that goes on is in the next part, too.
    package var sections: [(name: String, rows: [[UInt8]])] = []
    /// Nil for the last part.
    package var next: Place?

    package static func == (left: UserDataPage, right: UserDataPage) -> Bool {
        left.next == right.next
            && left.sections.elementsEqual(right.sections) {
                $0.name == $1.name && $0.rows == $1.rows
            }
    }

    /// Rows that are read at once.
    private static let chunk = 100
    /// Of a part. It ends with the chunk that reaches one of them.
    private static let rowsMax = 1000
    private static let bytesMax = 1 << 20

    /// The part that begins at a place.
    ///
    /// - Returns: nil when no section has the name of the place.
    package static func read(
        _ all: [UserDataSection],
        of user: String,
        from place: Place?
    ) async throws -> UserDataPage? {
        let first = place.map { place in all.firstIndex { $0.name == place.section } } ?? 0
        guard let first else { return nil }
        var page = UserDataPage()
        var after = place?.after ?? 0
        var count = 0
        var bytes = 0
        for index in all.indices.dropFirst(first) {
            let section = all[index]
            guard count < rowsMax, bytes < bytesMax else {
                page.next = Place(section: section.name, after: 0)
                return page
            }
            page.sections.append((section.name, []))
            while true {
                let rows = try await section.rows(user, after, chunk)
                page.sections[page.sections.count - 1].rows += rows.map(\.json)
                count += rows.count
                bytes += rows.reduce(0) { $0 + $1.json.count }
                guard rows.count == chunk, let last = rows.last?.key else { break }
                guard count < rowsMax, bytes < bytesMax else {
                    page.next = Place(section: section.name, after: last)
                    return page
                }
                after = last
            }
            after = 0
        }
        return page
    }
}

/// One row of a hub's stored data about a user.
package struct UserDataRow: Sendable, Equatable {
    /// The key, which is greater than those of earlier rows in the section.
    package var key: Int
    /// A JSON object.
    package var json: [UInt8]

    package init(key: Int, json: [UInt8]) {
        self.key = key
        self.json = json
    }
}

/// A list of rows that a part of a hub stores about a user, returned when the user requests all
/// their data.
package struct UserDataSection: Sendable {
    /// Lower case letters and underscores; unique in a hub.
    package let name: String
    /// The tables that the rows come from. Each table of the store is in a section, or in the
    /// test's list of exceptions, with the reason.
    package let tables: Set<String>
    /// Returns the rows after a key, 0 for the first, in the order of their keys and up to a limit.
    /// If there are fewer rows than the limit, they are the last ones.
    ///
    /// - Parameter user: the name of the user in access tokens.
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

/// A part of a hub's stored data about a user, and the place where the next part begins.
package struct UserDataPage: Sendable, Equatable {
    /// The place where a part begins: `ratings:17`, after the row 17 of this section.
    package struct Place: Sendable, Equatable {
        package var section: String
        package var after: Int

        package init(section: String, after: Int) {
            self.section = section
            self.after = after
        }

        package var text: String { "\(section):\(after)" }

        /// Returns nil for a text that is not the `text` of a place.
        package init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, let after = Int(parts[1]), after >= 0,
                String(after).utf8.elementsEqual(parts[1].utf8)
            else { return nil }
            self.init(section: String(parts[0]), after: after)
        }
    }

    /// The rows in the order of the sections. A section that is not complete continues in the next
    /// part.
    package var sections: [(name: String, rows: [[UInt8]])] = []
    /// Nil for the last part.
    package var next: Place?

    package static func == (left: UserDataPage, right: UserDataPage) -> Bool {
        left.next == right.next
            && left.sections.elementsEqual(right.sections) {
                $0.name == $1.name && $0.rows == $1.rows
            }
    }

    /// The number of rows that are read at once.
    private static let chunk = 100
    /// The limits of a part. It ends with the chunk that reaches one of them.
    private static let rowsMax = 1000
    private static let bytesMax = 1 << 20

    /// Returns the part that begins at a place.
    ///
    /// - Returns: nil if no section has the name of the place.
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

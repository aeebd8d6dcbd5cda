// The query of a request. The texts are the values after the names, with their percent signs
// resolved; nil if the name is missing.

extension PageRange {
    package init(limit: String?, offset: String?) throws(RequestError) {
        self.init(
            limit: try wholeNumber(limit, "limit", in: ActivityLimits.pageLength)
                ?? ActivityLimits.pageLengthDefault,
            offset: try wholeNumber(offset, "offset", in: 0...ActivityLimits.offsetMax) ?? 0
        )
    }
}

/// The query of `GET /feed/activities`.
package struct ActivityQuery: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        /// Newest first.
        case page(PageRange)
        /// The activities after an activity, oldest first.
        case since(Int, limit: Int)
    }

    /// Nil for all.
    package var type: ActivityType?
    package var part: Part

    package init(
        type: String?,
        since: String?,
        limit: String?,
        offset: String?
    ) throws(RequestError) {
        self.type = try word(type, "type")
        let range = try PageRange(limit: limit, offset: offset)
        guard let since = try wholeNumber(since, "since", in: 0...Int.max) else {
            part = .page(range)
            return
        }
        guard range.offset == 0 else {
            throw .unexpected(
                field: "offset",
                expected: "0 together with since",
                found: String(range.offset)
            )
        }
        part = .since(since, limit: range.limit)
    }
}

/// The query of `GET /friends/requests`: those that wait for the user, unless it asks for the user's own.
package func requestedDirection(_ text: String?) throws(RequestError) -> RequestDirection {
    try word(text, "direction") ?? .incoming
}

/// The lists of `GET /friends`.
package enum FriendList: String, Sendable, Equatable, CaseIterable {
    case accepted, blocked
}

/// The query of `GET /friends`: the friends, unless it asks for the blocked people.
package func requestedFriends(_ status: String?) throws(RequestError) -> FriendList {
    try word(status, "status") ?? .accepted
}

/// The query of `GET /feed/unread`: everything, unless it has the cursor of an earlier answer.
package func unreadSince(_ text: String?) throws(RequestError) -> UnreadCursor {
    guard let text else { return UnreadCursor() }
    guard let cursor = UnreadCursor(text) else {
        throw .unexpected(
            field: "since",
            expected: "the cursor of an earlier answer",
            found: #""\#(RequestError.excerpt(text.utf8))""#
        )
    }
    return cursor
}

/// The number in a path; nil for a text that numbers nothing.
package func idInPath(_ text: some StringProtocol) -> Int? {
    guard let id = decimal(text), id > 0 else { return nil }
    return id
}

func wholeNumber(
    _ text: String?,
    _ name: String,
    in range: ClosedRange<Int>
) throws(RequestError) -> Int? {
    guard let text else { return nil }
    guard let number = decimal(text), range.contains(number) else {
        let bounds =
            range.upperBound == .max
            ? "not below \(range.lowerBound)"
            : "from \(range.lowerBound) to \(range.upperBound)"
        throw .unexpected(
            field: name,
            expected: "a whole number \(bounds)",
            found: #""\#(RequestError.excerpt(text.utf8))""#
        )
    }
    return number
}

/// Only digits: no sign, no space.
private func decimal(_ text: some StringProtocol) -> Int? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
}

func word<Word: RawRepresentable & CaseIterable>(
    _ text: String?,
    _ name: String
) throws(RequestError) -> Word? where Word.RawValue == String {
    guard let text else { return nil }
    guard let word = Word(rawValue: text) else {
        throw .unexpected(
            field: name,
            expected: "one of " + quotedList(Word.allCases.map(\.rawValue)),
            found: #""\#(RequestError.excerpt(text.utf8))""#
        )
    }
    return word
}

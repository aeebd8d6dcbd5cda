// ActivityFuzz: the film app's handling of arbitrary bytes from clients.

import Activity
import Core
import FuzzKit

extension FuzzTarget {
    package static let activityTargets = requestTargets + catalogueTargets

    private static let requestTargets = [
        FuzzTarget("activity-requests", lengthMax: 5000, dictionary: "activity") {
            try checkRequests($0)
        },
        FuzzTarget("activity-search", lengthMax: 500, dictionary: "activity") {
            try checkSearch($0)
        },
    ]
}

/// A body, read as each request of the film app: a request within the limits that can be answered,
/// or an error with a reason that can be sent.
private func checkRequests(_ bytes: [UInt8]) throws {
    if let request = try taken(RateRequest.init(json:), bytes) { try check(request) }
    if let request = try taken(WatchRequest.init(json:), bytes) {
        let percent = request.progressPercent ?? 0
        try expect(ActivityLimits.progressPercent.contains(percent), "progress \(percent)")
    }
    _ = try taken(WatchlistRequest.init(json:), bytes)
    if let request = try taken(NewFriendRequest.init(json:), bytes) {
        try expect(request.userID > 0, "user \(request.userID)")
    }
    if let request = try taken(LoginRequest.init(json:), bytes) { try check(request) }
    if let request = try taken(RefreshRequest.init(json:), bytes) {
        let length = request.refreshToken.utf8.count
        try expect((1...LoginLimits.refreshTokenBytesMax).contains(length), "token \(length)")
    }
    if let request = try taken(ProfilePatch.init(json:), bytes) { try check(request) }
}

/// Nil for refused requests.
private func taken<Request>(
    _ read: ([UInt8]) throws(RequestError) -> Request,
    _ bytes: [UInt8]
) throws -> Request? {
    do throws(RequestError) {
        return try read(bytes)
    } catch {
        try check(ActivityError(error))
        return nil
    }
}

private func check(_ error: ActivityError) throws {
    guard case .field(let field, let expected, let found) = error.details else {
        throw Violation(description: "\(error) without a field")
    }
    let textsMax = 512
    let length = error.message.utf8.count + expected.utf8.count + (found?.utf8.count ?? 0)
    try expect(length < textsMax, "an error of \(length) bytes")
    try expect((error.code == .ratingInvalid) == (field == "rating"), "\(error)")
    try expect(error.status == 400, "status \(error.status)")
    try checkJSON(error.json())
}

private func check(_ request: RateRequest) throws {
    try expect(ActivityLimits.stars.contains(request.stars.wholeStars), "\(request.stars)")
    try checkText(request.comment, lengthMax: ActivityLimits.commentLengthMax)
    try expect(request.activityType != .review || request.comment != nil, "a review of nothing")
    let rating = Rating(
        id: 1,
        personID: 1,
        filmID: 1,
        stars: request.stars,
        comment: request.comment,
        isReview: request.isReview,
        at: Timestamp(milliseconds: 0)
    )
    try checkJSON(rating.json())
}

private func check(_ request: LoginRequest) throws {
    try checkText(request.name, lengthMax: LoginLimits.nameLengthMax)
    let lengths = [
        (request.token, LoginLimits.identityTokenBytesMax),
        (request.userIdentifier ?? "-", LoginLimits.userIdentifierBytesMax),
        (request.email ?? "-", LoginLimits.emailBytesMax),
    ]
    for (text, lengthMax) in lengths {
        try expect((1...lengthMax).contains(text.utf8.count), "\(text.utf8.count) bytes")
    }
}

private func check(_ request: ProfilePatch) throws {
    try checkText(request.name, lengthMax: ActivityLimits.nameLengthMax)
    let biography = request.biography.applied(to: nil)
    try checkText(biography, lengthMax: ActivityLimits.biographyLengthMax)
    let address = request.avatarURL.applied(to: nil)
    if let address {
        try expect(address.utf8.count <= ActivityLimits.urlBytesMax, "a long address")
        try expect(address.lowercased().hasPrefix("http"), address)
        try expect(address.utf8.allSatisfy { (0x21...0x7E).contains($0) }, address)
    }
    let profile = ProfileView(
        person: Person(
            id: 1,
            name: request.name ?? "-",
            avatarURL: address,
            bio: biography,
            createdAt: Timestamp(milliseconds: 0)
        ),
        watchedCount: 0,
        friendsCount: 0,
        ratingsCount: 0,
        favoritesCount: 0,
        statistics: .none
    )
    try checkJSON(profile.json())
}

/// A text that is stored: not empty, within its limit in characters, no U+0000.
private func checkText(_ text: String?, lengthMax: Int) throws {
    guard let text else { return }
    let length = text.unicodeScalars.count
    try expect((1...lengthMax).contains(length), "\(length) characters")
    try expect(!text.utf8.contains(0), "U+0000")
}

private func checkJSON(_ bytes: [UInt8]) throws {
    let value = try JSONReader.value(of: bytes[...])
    try expect(value.count == bytes.count, "space around an answer")
    try expect(String(validating: bytes, as: UTF8.self) != nil, "an answer that is not UTF-8")
}

/// Search text, genres, numbers of a page, years and an order, each on a line: a query within the
/// limits, or an error; and the same text as a catalogue's titles.
private func checkSearch(_ bytes: [UInt8]) throws {
    let parts = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
    }
    func part(_ index: Int) -> String? { index < parts.count ? parts[index] : nil }
    try checkWords(parts[0])
    let title = TitleForm(parts[0])
    try expect(title.title.utf8.count <= parts[0].utf8.count, "a longer title")
    let query: SearchQuery
    do throws(RequestError) {
        query = try SearchQuery(
            q: part(0),
            genres: part(1),
            year: part(4),
            yearFrom: part(5),
            yearTo: part(6),
            sort: part(7),
            limit: part(2),
            offset: part(3)
        )
    } catch {
        return try check(ActivityError(error))
    }
    try check(query)
}

private func check(_ query: SearchQuery) throws {
    try checkText(query.text ?? "-", lengthMax: ActivityLimits.searchLengthMax)
    if let years = query.years {
        try expect(ActivityLimits.years.contains(years.lowerBound), "\(years)")
        try expect(ActivityLimits.years.contains(years.upperBound), "\(years)")
    }
    try expect(query.genres.count <= ActivityLimits.genresMax, "\(query.genres.count) genres")
    for genre in query.genres {
        try checkText(genre, lengthMax: ActivityLimits.genreLengthMax)
    }
    try expect(ActivityLimits.pageLength.contains(query.range.limit), "\(query.range)")
    try expect((0...ActivityLimits.offsetMax).contains(query.range.offset), "\(query.range)")
}

/// Words are letters and digits, and no more of them than the text has.
private func checkWords(_ text: String) throws {
    let words = SearchFolding.words(text)
    try expect(words.count <= text.unicodeScalars.count, "\(words.count) words")
    for word in words {
        try expect(!word.isEmpty, "an empty word")
        try expect(!word.utf8.contains(0x20), "a word with space")
        try expect(!word.utf8.contains { (0x41...0x5A).contains($0) }, "capitals in \(word)")
    }
    try expect(SearchFolding.folded(text) == words.joined(separator: " "), "folded")
}

import Activity

/// The data of a person who logs in for the first time, or is imported.
package struct NewPerson: Sendable, Equatable {
    /// The identity provider of `subject`.
    package var provider: String
    /// The provider's name for the person; with the provider it is unique, by its bytes.
    package var subject: String
    package var name: String
    package var avatarURL: String?
    package var email: String?
    package var createdAt: Timestamp
    /// Nil for an imported person.
    package var lastActiveAt: Timestamp?

    package init(
        provider: String,
        subject: String,
        name: String,
        avatarURL: String? = nil,
        email: String? = nil,
        createdAt: Timestamp,
        lastActiveAt: Timestamp? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.name = name
        self.avatarURL = avatarURL
        self.email = email
        self.createdAt = createdAt
        self.lastActiveAt = lastActiveAt
    }
}

extension ActivityTables {
    package func person(_ id: Int) throws -> Person? {
        try row(ActivitySQL.selectPerson, [id]).map { try Person($0) }
    }

    package func person(provider: String, subject: String) throws -> Person? {
        try checked(provider, subject)
        return try row(ActivitySQL.selectPersonOfProvider, [provider, subject]).map {
            try Person($0)
        }
    }

    package func card(_ id: Int) throws -> PersonCard? {
        try row(ActivitySQL.selectCard, [id]).map { try $0.personCard() }
    }

    package func personCount() throws -> Int { try integer(ActivitySQL.countPeople) ?? 0 }

    /// Returns the person with this provider and subject, inserted if there was none.
    ///
    /// - Returns: an existing person is unchanged: a login does not undo edits.
    package func findOrInsert(_ new: NewPerson) throws -> (person: Person, isNew: Bool) {
        if let known = try person(provider: new.provider, subject: new.subject) {
            return (known, false)
        }
        try checked(new.name, new.avatarURL, new.email)
        let id = try session.insert(
            ActivitySQL.insertPerson,
            [
                new.provider, new.subject, new.name, new.avatarURL, new.email, nil,
                new.createdAt.milliseconds, new.lastActiveAt?.milliseconds,
            ]
        )
        let person = Person(
            id: id,
            name: new.name,
            avatarURL: new.avatarURL,
            email: new.email,
            createdAt: new.createdAt,
            lastActiveAt: new.lastActiveAt
        )
        return (person, true)
    }

    /// Replaces name, avatar, e-mail address and biography.
    ///
    /// - Returns: false when there is no such person.
    @discardableResult
    package func update(_ person: Person) throws -> Bool {
        try checked(person.name, person.avatarURL, person.email, person.bio)
        return try changes(
            ActivitySQL.updatePerson,
            [person.id, person.name, person.avatarURL, person.email, person.bio]
        ) == 1
    }

    /// Notes that a person is active, unless this was noted less than `interval` ago: a write per
    /// request would be too many.
    ///
    /// - Returns: whether it was written.
    @discardableResult
    package func touch(
        _ personID: Int,
        at now: Timestamp,
        every interval: Duration = .seconds(60)
    ) throws -> Bool {
        let latest = now - interval
        return try changes(
            ActivitySQL.touchPerson,
            [personID, now.milliseconds, latest.milliseconds]
        ) == 1
    }

    /// Returns a person's page as a user sees it; nil if there is no such person, or if one of the
    /// two has blocked the other. A user who has blocked the person sees that instead of the page:
    /// see `relation`.
    ///
    /// - Complexity: O(films watched).
    package func profile(of personID: Int, for viewerID: Int) throws -> ProfileView? {
        let relation = try relation(of: viewerID, to: personID)
        guard relation != .blocks, relation != .isBlocked,
            let row = try row(ActivitySQL.selectProfile, [personID])
        else { return nil }
        let ratings = RatingSummary(count: try row[9], halves: try row[11])
        return ProfileView(
            person: try Person(row),
            watchedCount: try row[7],
            friendsCount: try row[8],
            ratingsCount: try row[9],
            favoritesCount: try row[10],
            statistics: ProfileStatistics(
                averageRatingGiven: ratings.average,
                mostWatchedGenre: try self.row(ActivitySQL.selectMostWatchedGenre, [personID])
                    .map { try $0[0] },
                totalWatchMinutes: try integer(ActivitySQL.selectWatchMinutes, [personID]) ?? 0
            ),
            friendStatus: relation.status
        )
    }
}

import DomainKit
import News

extension NewsService {
    package func preferences(of user: NewsUserID) async throws -> NewsPreferences {
        try await store.readNews { try $0.user(user)?.preferences ?? NewsPreferences() }
    }

    /// Stores the preferences of a user, and publishes them on the user's topic.
    package func change(
        _ request: PreferencesRequest,
        of user: NewsUserID
    ) async throws -> NewsPreferences {
        let now = clock.now
        let (preferences, hasDeliveries) = try await store.commitNews { [self] tables in
            let former = try tables.user(user)?.preferences ?? NewsPreferences()
            let preferences = request.applied(to: former)
            try tables.put(preferences, of: user, at: now)
            var change = Change()
            add(
                .preferencesUpdated(
                    preferences,
                    of: user,
                    id: NewsService.newID(),
                    time: now
                ),
                to: &change
            )
            return (change, (preferences, !change.deliveries.isEmpty))
        }
        if hasDeliveries { wakeOutbox() }
        return preferences
    }

    /// Stores that a user has sent a request, at most once a day.
    package func see(_ user: NewsUserID) async throws {
        let now = clock.now
        guard seen.withLock({ $0.isFirst(user, on: BriefDay(of: now, in: .utc)) }) else {
            return
        }
        try await store.commitNews { tables in
            try tables.see(user, at: now)
            return (Change(), ())
        }
    }

    /// Deletes all data stored about a user, and the history and the webhooks of the user's topic.
    package func deleteData(of user: NewsUserID) async throws {
        try await store.deleteNewsData(of: user)
        wakeOutbox()
        seen.withLock { $0.forget(user) }
    }

    /// - Parameter signalID: the URL of its article.
    package func take(
        _ feedback: NewsFeedback,
        on signalID: String,
        by user: NewsUserID
    ) async throws {
        let now = clock.now
        let url = try? CanonicalURL(signalID)
        let isKnown = try await store.commitNews { tables in
            guard let article = try url.flatMap({ try tables.articles(named: $0).first }),
                try tables.signal(ofArticle: article.id) != nil
            else { return (Change(), false) }
            try tables.put(feedback, ofArticle: article.id, by: user, at: now)
            return (Change(), true)
        }
        guard isKnown else { throw NewsError.signalNotFound(signalID) }
    }

    /// The JSON text of a user's latest brief.
    package func brief(of user: NewsUserID) async throws -> [UInt8] {
        try await store.readNews { try $0.brief(of: user) } ?? BriefView.stub.json()
    }
}

extension HubStore {
    /// Deletes all data of the news about a user. Wake the outbox afterwards.
    func deleteNewsData(of user: NewsUserID) async throws {
        try await commitNews { tables in
            try tables.deleteUser(user)
            return (Change(removedHistories: [.news(user)]), ())
        }
        try await eraseDeliveries(of: [.news(user)])
    }
}

/// The users who have sent requests on a day. It only saves writes, so it may drop entries.
struct SeenUsers: Sendable {
    static let countMax = 1 << 16

    private var day = BriefDay(number: 0)
    private var users: Set<NewsUserID> = []

    mutating func isFirst(_ user: NewsUserID, on day: BriefDay) -> Bool {
        if day != self.day || users.count >= SeenUsers.countMax {
            self.day = day
            users.removeAll(keepingCapacity: true)
        }
        return users.insert(user).inserted
    }

    mutating func forget(_ user: NewsUserID) { users.remove(user) }
}

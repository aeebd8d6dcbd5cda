import Activity
import Service
import StoreTesting

@testable import ActivityApp

/// The steps of the film app's tables, after those that they build on.
let filmMigrations = AccountTables.migrations + ActivityDomain.manifest.migrations

extension HubStore {
    /// Carries out `body` in a transaction of its own, and publishes nothing.
    @discardableResult
    func act<Value: Sendable>(
        _ body: @escaping @Sendable (ActivityTables) throws -> Value
    ) async throws -> Value {
        try await commitActivity { (Change(), try body($0)) }
    }
}

extension ActivityTables {
    /// People with the ids 1, 2 and so on, in a store that had none.
    func insertPeople(_ count: Int) throws {
        for number in 1...count { _ = try findOrInsert(newPerson("p\(number)")) }
    }

    /// Films with the ids 1, 2 and so on, in a store that had none.
    func insertFilms(_ titles: String...) throws {
        for title in titles { try put(Film(id: 0, title: title)) }
    }

    func makeFriends(_ one: Int, _ other: Int) throws {
        try befriend(one, other, at: startOfTests)
    }

    /// Ids of one page that has everything.
    func feedIDs(_ personID: Int, type: ActivityType? = nil) throws -> [Int] {
        try feed(of: personID, type: type, range: everything).items.map(\.id)
    }

    func rate(_ filmID: Int, by personID: Int, stars: Int, review: String? = nil) throws -> Rating?
    {
        let outcome = try rate(
            filmID,
            by: personID,
            HalfStars(stars: stars)!,
            comment: review,
            isReview: review != nil,
            at: startOfTests
        )
        if case .written(let rating, _) = outcome { return rating }
        return nil
    }

    func note(_ type: ActivityType, of filmID: Int, by personID: Int) throws -> Int {
        try insertActivity(type, of: filmID, by: personID, at: startOfTests)!.id
    }
}

let everything = PageRange(limit: 1_000_000)

func newPerson(_ subject: String, provider: String = "test") -> NewPerson {
    NewPerson(
        provider: provider,
        subject: subject,
        name: "name of \(subject)",
        createdAt: startOfTests
    )
}

/// Runs `body` with a store that has the domain's tables, and closes it.
func withFilmStore<Result>(
    limits: StoreLimits = StoreLimits(),
    _ body: (HubStore) async throws -> Result
) async throws -> Result {
    try await withStore(limits: limits, migrations: filmMigrations, body)
}

func openFilmStore(_ directory: String) throws -> HubStore {
    try openStore(directory, migrations: filmMigrations)
}

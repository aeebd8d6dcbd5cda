import Activity
import Expectations
import Store
import StoreTesting

@testable import ActivityApp

@Suite("Changes that are made of what the store holds", .timeLimit(.minutes(10)))
struct CommitActivityTests {
    private struct Refusal: Error, Equatable {}

    @Test func actAndItsPublicationsAreOneTransaction() async throws {
        try await withFilmStore { store async throws in
            try await store.act {
                try $0.insertPeople(3)
                try $0.insertFilms("The General")
                try $0.makeFriends(1, 2)
                try $0.makeFriends(1, 3)
            }
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            let id = try await store.commitActivity { tables throws in
                let entry = try tables.insertActivity(.started, of: 1, by: 1, at: startOfTests)!
                let friends = try tables.friendIDs(of: 1, limit: 10)
                let events = friends.map { id in
                    event(Topic(trusted: "activity:\(id)"), "entry \(entry.id)")
                }
                return (Change(events: events), entry.id)
            }
            expectEqual(log.publications.map(\.topic.name), ["activity:2", "activity:3"])
            expectEqual(log.publications.map(text), ["entry \(id)", "entry \(id)"])
            try await expectEqual(store.readActivity { try $0.feedIDs(2) }, [id])
        }
    }

    @Test func bodyThatThrowsLeavesNothingAndItsErrorArrives() async throws {
        try await withFilmStore { store async throws in
            try await store.act { try $0.insertFilms("The General") }
            await #expect(throws: Refusal()) {
                try await store.commitActivity { tables -> (Change, Int) in
                    try tables.insertFilms("Metropolis")
                    try tables.insertPeople(1)
                    throw Refusal()
                }
            }
            let counts = try await store.readActivity {
                [try $0.filmCount(), try $0.personCount()]
            }
            expectEqual(counts, [1, 0])
            expectEqual(store.health, .ok, "the file did not fail")
        }
    }

    /// Or the bounds of its queue would be kept now and then only.
    @Test func endpointThatGetsDeliveriesIsKnownToHaveGrown() async throws {
        try await withFilmStore { store async throws in
            for id in ["m1", "m2"] {
                let delivery = NewDelivery(
                    endpoint: "pager",
                    messageID: id,
                    eventType: "activity.created",
                    subject: nil,
                    body: [],
                    createdAt: startOfTests
                )
                try await store.commitActivity { _ in (Change(deliveries: [delivery]), ()) }
            }
            expect(store.takeGrownQueues(by: 3).isEmpty)
            expectEqual(store.takeGrownQueues(by: 2), ["pager"])
        }
    }

    @Test func eventThatIsRefusedTakesTheRowsAlong() async throws {
        try await withFilmStore { store async throws in
            await #expect {
                try await store.commitActivity { tables throws in
                    try tables.insertFilms("Metropolis")
                    var event = event(news, "a")
                    event.idempotencyKey = ""
                    return (Change(events: [event]), 0)
                }
            } throws: { ($0 as? StoreError)?.code == .constraint }
            try await expectEqual(store.readActivity { try $0.filmCount() }, 0)
            try await expect(store.loadAll().isEmpty)
        }
    }

    @Test func changeOverTheLimitIsRefusedWithItsRows() async throws {
        let limits = StoreLimits(changeBytesMax: 1000)
        try await withFilmStore(limits: limits) { store async throws in
            await #expect {
                try await store.commitActivity(length: 10) { tables throws in
                    try tables.insertFilms("Metropolis")
                    let long = String(repeating: "x", count: 1000)
                    return (Change(events: [event(news, long)]), 0)
                }
            } throws: { ($0 as? StoreError)?.code == .changeTooBig }
            try await expectEqual(store.readActivity { try $0.filmCount() }, 0)
        }
    }

    /// One of three fails, so all are done again: each of the others is there once, with the value of the
    /// run that was committed.
    @Test func bodiesThatRunTwiceAreCommittedOnce() async throws {
        try await withFilmStore { store async throws in
            try await store.act { try $0.insertPeople(2) }
            let runs = Locked(0)
            let results = try await holdingWriter(of: store, queued: 3) {
                (0..<3).map { number in
                    Task {
                        try await store.commitActivity { tables throws in
                            runs.withLock { $0 += 1 }
                            let id = try tables.put(Film(id: 0, title: "Film \(number)"))
                            if number == 1 { throw Refusal() }
                            return (Change(events: [event(news, "\(number)")]), id)
                        }
                    }
                }
            }
            expect(runs.withLock { $0 } >= 4, "the batch was done again")
            expectEqual(results.filter(\.isSuccess).count, 2)
            let ids = results.compactMap { try? $0.get() }
            expectEqual(Set(ids), [1, 2], "ids of the run that was taken back were given again")
            let films = try await store.readActivity { try $0.films(after: 0, limit: 9) }
            expectEqual(Set(films.map(\.film.title)), ["Film 0", "Film 2"])
            let published = try await store.history(of: news, count: 9)?.publications.map(text)
            expectEqual(Set(published ?? []), ["0", "2"])
        }
    }

    @Test(arguments: [true, false])
    func blockBeforeAnActHidesItAndAfterItEndsIt(_ isBefore: Bool) async throws {
        try await withFilmStore { store async throws in
            try await store.act {
                try $0.insertPeople(2)
                try $0.insertFilms("The General")
                try $0.makeFriends(1, 2)
            }
            let act: @Sendable () async throws -> [Int] = {
                try await store.act { tables throws in
                    _ = try tables.note(.started, of: 1, by: 1)
                    return try tables.friendIDs(of: 1, limit: 9)
                }
            }
            let block: @Sendable () async throws -> Void = {
                try await store.act { _ = try $0.block(1, by: 2, at: startOfTests) }
            }
            if isBefore { try await block() }
            let told = try await act()
            if !isBefore { try await block() }
            expectEqual(told, (isBefore ? [] : [2]))
            try await expect(store.readActivity { try $0.feedIDs(2) }.isEmpty)
        }
    }

    @Test func readerMayNotWrite() async throws {
        try await withFilmStore { store async throws in
            await #expect {
                try await store.readActivity { try $0.insertPeople(1) }
            } throws: { ($0 as? StoreError)?.code == .readOnly }
            try await expectEqual(store.readActivity { try $0.personCount() }, 0)
        }
    }

    @Test(.needsFile) func actsSurviveTheEndOfTheProcess() async throws {
        try await withDirectory { directory in
            let store = try openFilmStore(directory)
            try await store.act {
                try $0.insertPeople(2)
                try $0.insertFilms("The General")
                try $0.makeFriends(1, 2)
                _ = try $0.note(.watched, of: 1, by: 1)
                try $0.startFanOut(.created, of: 1, by: 1, payload: [1], at: startOfTests)
            }
            try copyStore(directory, to: directory + "/copy")
            let copy = try openFilmStore(directory + "/copy")
            try await expectEqual(copy.readActivity { try $0.feedIDs(2) }, [1])
            let page = try await copy.act { try $0.takeFanOutPage() }
            expectEqual(page?.friendIDs, [2])
            try await copy.close()
            try await store.close()
        }
    }
}

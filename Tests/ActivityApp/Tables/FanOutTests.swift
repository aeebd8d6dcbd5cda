import Activity
import Expectations
import Store
import StoreTesting

@testable import ActivityApp

@Suite("Fan-out in pages", .timeLimit(.minutes(10)))
struct FanOutTests {
    private func withCrowd(
        _ body: @escaping @Sendable (ActivityTables) throws -> Void
    ) async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(12)
                try tables.insertFilms("A")
                for friend in 3...9 { try tables.makeFriends(1, friend) }
                for friend in 10...12 { try tables.makeFriends(2, friend) }
                try body(tables)
            }
        }
    }

    private func start(_ tables: ActivityTables, _ activity: Int, by actor: Int) throws {
        try tables.startFanOut(
            .created,
            of: activity,
            by: actor,
            payload: [UInt8(activity)],
            at: startOfTests
        )
    }

    @Test func everyFriendComesOnceAndInOrder() async throws {
        try await withCrowd { tables throws in
            try start(tables, 1, by: 1)
            try expect(tables.isFanningOut(1))
            try expect(!tables.isFanningOut(2))
            try expectEqual(tables.fanOutState(), FanOutState(count: 1, oldest: startOfTests))
            var pages: [FanOutPage] = []
            while let page = try tables.takeFanOutPage(limit: 3) { pages.append(page) }
            expectEqual(pages.map(\.friendIDs), [[3, 4, 5], [6, 7, 8], [9]])
            expectEqual(pages.map(\.isLast), [false, false, true])
            expect(pages.allSatisfy { $0.payload == [1] && $0.kind == .created && $0.actorID == 1 })
            try expect(!tables.isFanningOut(1))
            try expectEqual(tables.fanOutState(), FanOutState(count: 0, oldest: nil))
        }
    }

    @Test func actorsTakeTurnsAndEachOnesActsComeInOrder() async throws {
        try await withCrowd { tables throws in
            try start(tables, 1, by: 1)
            try start(tables, 2, by: 1)
            try start(tables, 3, by: 2)
            var order: [Int] = []
            while let page = try tables.takeFanOutPage(limit: 4) { order.append(page.activityID) }
            expectEqual(order.filter { $0 != 3 }, [1, 1, 2, 2], "of one actor in order")
            try expect(require(order.firstIndex(of: 3)) <= 2, "the other does not wait for both")
        }
    }

    @Test func friendshipThatEndsMeanwhileIsLeftOut() async throws {
        try await withCrowd { tables throws in
            try start(tables, 1, by: 1)
            try expectEqual(tables.takeFanOutPage(limit: 3)?.friendIDs, [3, 4, 5])
            _ = try tables.block(1, by: 6, at: startOfTests)
            try tables.unfriend(1, 3)
            try expectEqual(tables.takeFanOutPage(limit: 9)?.friendIDs, [7, 8, 9])
        }
    }

    @Test func deletedRatingIsNotToldAnyMore() async throws {
        try await withCrowd { tables throws in
            _ = try tables.rate(1, by: 1, stars: 3)
            let id = try tables.note(.rating, of: 1, by: 1)
            try start(tables, id, by: 1)
            _ = try tables.takeFanOutPage(limit: 3)
            let deleted = try tables.deleteRating(of: 1, by: 1)
            expectEqual(deleted?.activityIDs, [id])
            try expectNil(tables.takeFanOutPage())
            try tables.startFanOut(.deleted, of: id, by: 1, payload: [], at: startOfTests)
            let page = try tables.takeFanOutPage()
            expectEqual(page?.kind, .deleted)
            expectEqual(page?.friendIDs.count, 7)
        }
    }

    @Test func pageOfALongPayloadIsShort() async throws {
        try await withCrowd { tables throws in
            let payload = [UInt8](repeating: 1, count: ActivityTables.fanOutBytesMax / 2)
            try tables.startFanOut(.created, of: 1, by: 1, payload: payload, at: startOfTests)
            try expectEqual(tables.takeFanOutPage()?.friendIDs, [3, 4])
            try expectEqual(tables.takeFanOutPage()?.friendIDs, [5, 6])
        }
    }

    @Test func pageThatWasNotCommittedComesAgain() async throws {
        struct Refusal: Error {}
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(4)
                for friend in 2...4 { try tables.makeFriends(1, friend) }
                try tables.startFanOut(.created, of: 1, by: 1, payload: [], at: startOfTests)
            }
            await #expect(throws: Refusal.self) {
                try await store.act { tables throws in
                    _ = try tables.takeFanOutPage(limit: 2)
                    throw Refusal()
                }
            }
            let page = try await store.act { try $0.takeFanOutPage(limit: 2) }
            expectEqual(page?.friendIDs, [2, 3])
        }
    }
}

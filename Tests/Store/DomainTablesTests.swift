import Expectations
import StoreTesting

@testable import Store

@Suite("Changes that are made inside of the transaction", .timeLimit(.minutes(10)))
struct DomainTablesTests {
    @Test func lengthOverTheLimitOfAChangeIsRefusedBeforeItWaits() async throws {
        try await withStore(limits: StoreLimits(changeBytesMax: 1000)) { store in
            try await store.commit(NoTables.self, length: 1000) { _ in (Change(), ()) }
            let error = await #expect(throws: StoreError.self) {
                try await store.commit(NoTables.self, length: 1001) { _ -> (Change, Void) in
                    Issue.record("the body runs although its length is over the limit")
                    return (Change(), ())
                }
            }
            expectEqual(error?.code, .changeTooBig)
        }
    }

    @Test func deliveriesOfTheChangeAreCountedBeforeTheCallerGoesOn() async throws {
        try await withStore { store in
            try await store.commit(NoTables.self) { _ in
                (Change(deliveries: [delivery("1"), delivery("2")]), ())
            }
            expectEqual(store.deliveryTally.pending, 2)
            try await expectEqual(store.deliveryCounts().pending, 2)
        }
    }

    @Test func bytesThatWaitAreThoseOfTheLength() async throws {
        try await withStore { store in
            _ = try await holdingWriter(of: store, queued: 2) {
                [300, 500].map { length in
                    Task {
                        try await store.commit(NoTables.self, length: length) { _ in (Change(), ())
                        }
                    }
                }
            } whileHeld: {
                expectEqual(store.statistics.bytesWaiting, 800)
            }
        }
    }
}

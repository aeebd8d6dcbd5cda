import Expectations
import StoreTesting

@testable import Store

@Suite("The mark of unreplicated commits", .timeLimit(.minutes(10)))
struct ReplicationMarkTests {
    private let fixture = ClusterFixture()

    @Test func transactionThatWaitsForTheStandbyTakesTheMarkBack() {
        let marks = [true, false].map { ReplicationMark(isSet: $0) }
        expectEqual(marks.map { $0.change(waitsForStandby: true) }, [.takeBack, nil])
        expectEqual(marks.map { $0.change(waitsForStandby: false) }, [nil, .set])
    }

    @Test func markOfTheTestServerIsSetOnce() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            func version() throws -> Int64? {
                let row = try fixture.run(
                    """
                    SELECT CASE WHEN unreplicated_timeline = timeline
                        THEN xmin::text::bigint ELSE 0 END FROM hub
                    """
                )
                return try row.integer(0, 0)
            }
            try expectEqual(version(), 0)
            try await nodes[0].publish(radar, "1")
            let first = try version()
            expect(first != 0)
            try await nodes[0].publish(radar, "2")
            try expectEqual(version(), first)
        }
    }
}

import Expectations
import Foundation
import Store
import StoreTesting

@testable import RadarApp

/// What a statement may cost is a promise of the documentation, so its plan is a test.
@Suite("Query plans of radars", .needsFile, .timeLimit(.minutes(10)))
struct RadarPlanTests {
    /// What runs while the hub serves, but for what reads from one end of a table.
    private static let searching = [
        "insertRadar": RadarSQL.insertRadar, "updateRadar": RadarSQL.updateRadar,
        "updateNextPoll": RadarSQL.updateNextPoll, "deleteRadar": RadarSQL.deleteRadar,
        "noteDeletedRadar": RadarSQL.noteDeletedRadar,
        "selectDeletedRadar": RadarSQL.selectDeletedRadar,
        "forgetDeletedRadar": RadarSQL.forgetDeletedRadar,
        "deleteOpinionsOfRadar": RadarSQL.deleteOpinionsOfRadar,
        "insertOpinion": RadarSQL.insertOpinion,
        "upsertStanceCache": RadarSQL.upsertStanceCache, "insertSpending": RadarSQL.insertSpending,
        "addSpending": RadarSQL.addSpending,
        "insertUserSpending": RadarSQL.insertUserSpending,
        "addUserSpending": RadarSQL.addUserSpending,
        "selectUserSpending": RadarSQL.selectUserSpending,
        "deleteOldUserSpending": RadarSQL.deleteOldUserSpending,
        "selectRadar": RadarSQL.selectRadar, "selectRadarsOfUser": RadarSQL.selectRadarsOfUser,
        "selectRadarsOfTopic": RadarSQL.selectRadarsOfTopic,
        "selectRadarTopicsOfUser": RadarSQL.selectRadarTopicsOfUser,
        "selectRadarExists": RadarSQL.selectRadarExists,
        "countRadarsOfUser": RadarSQL.countRadarsOfUser,
        "selectOpinions": RadarSQL.selectOpinions,
        "selectSourceOpinions": RadarSQL.selectSourceOpinions,
        "selectPushedOpinions": RadarSQL.selectPushedOpinions,
        "selectPusherBelow": RadarSQL.selectPusherBelow, "selectPusher": RadarSQL.selectPusher,
        "insertPusher": RadarSQL.insertPusher,
        "selectNumberedOpinions": RadarSQL.selectNumberedOpinions,
        "selectOpinionsAfter": RadarSQL.selectOpinionsAfter,
        "selectArrival": RadarSQL.selectArrival,
        "selectOpinionID": RadarSQL.selectOpinionID,
        "selectStanceCache": RadarSQL.selectStanceCache, "selectSpending": RadarSQL.selectSpending,
        "deleteOldOpinions": RadarSQL.deleteOldOpinions,
        "deleteOldStanceCache": RadarSQL.deleteOldStanceCache,
        "deleteStanceCache": RadarSQL.deleteStanceCache,
        "deleteOldSpending": RadarSQL.deleteOldSpending,
    ]

    /// Read from one end, because all is asked for, or because an account is deleted.
    private static let reading = [
        "selectRadarDirectory": RadarSQL.selectRadarDirectory,
        "selectTopicIsUsed": RadarSQL.selectTopicIsUsed,
    ]

    private static let grouping: Set = ["selectOpinionDays"]

    private static let sorting: Set = ["selectArrivedOpinions"]

    @Test(arguments: searching)
    func rowsAreFoundByIndexAndInOrder(_ name: String, _ sql: String) async throws {
        let plan = try await plan(of: sql)
        for step in plan {
            expect(!step.hasPrefix("SCAN"), "\(name): \(step)")
            expect(!step.contains("TEMP B-TREE"), "\(name): \(step)")
        }
        expect(!plan.isEmpty || sql.hasPrefix("INSERT"), "\(name)")
    }

    @Test(arguments: reading)
    func whatReadsFromOneEndSortsNothing(_ name: String, _ sql: String) async throws {
        let plan = try await plan(of: sql)
        expectEqual(plan.count, 1, "\(name): \(plan)")
        expectEqual(plan.first?.hasPrefix("SCAN"), true, "\(name): belongs to the others")
    }

    /// A year of opinions is grouped without reading one of them.
    @Test func opinionDaysAreReadFromTheIndexAlone() async throws {
        let plan = try await plan(of: RadarSQL.selectOpinionDays)
        expectEqual(
            plan.first,
            "SEARCH opinion USING COVERING INDEX opinion_by_radar "
                + "(radar_number=? AND created_at>?)"
        )
        expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }

    /// The numbers of a radar's opinions are sorted without reading one of them.
    @Test func arrivalIsReadFromTheIndexAlone() async throws {
        let plan = try await plan(of: RadarSQL.selectArrivedOpinions)
        let search =
            "SEARCH opinion USING COVERING INDEX opinion_by_radar (radar_number=? AND created_at>?)"
        expectEqual(plan.first, "SEARCH opinion USING INTEGER PRIMARY KEY (rowid=?)")
        expect(plan.contains(search), "\(plan)")
        expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }

    @Test func everyStatementIsAmongThese() throws {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/Domains/Radar/App/Tables/RadarSQL.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        let names = text.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ")
            return words.starts(with: ["static", "let"]) ? String(words[2]) : nil
        }
        let listed = Set(Self.searching.keys).union(Self.reading.keys)
            .union(Self.grouping).union(Self.sorting)
        expectEqual(Set(names), listed)
    }

    private func plan(of sql: String) async throws -> [String] {
        try await withRadarStore { store in
            try await store.readRadars { try $0.session.plan(of: sql) }
        }
    }
}

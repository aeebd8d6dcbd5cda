import Expectations

@testable import AuroraTools
@testable import Replay

@Suite(.timeLimit(.minutes(10))) struct KpTableTests {
    @Test func bothShapesGiveTheSameRows() throws {
        let objects = try KpTable(
            recorded("spaceweather/noaa-planetary-k-index.2024-05-12-g5.reformatted.json")
        )
        let rows = try KpTable(
            recorded(
                "spaceweather/noaa-planetary-k-index.2024-05-12-g5.legacy-rows.reformatted.json"
            )
        )
        expectEqual(objects, rows)
        expectEqual(objects.rows.count, 32)
        expectEqual(
            objects.rows[time("2024-05-10T15:00Z")],
            KpRow(thirds: 23, runningA: 179, stationCount: 8)
        )
    }

    @Test(
        arguments: [
            ("{}", nil), ("<html>", nil),
            (#"[["time_tag","kp","observed","noaa_scale"]]"#, "has other columns"),
            (
                #"[["time_tag","Kp","a_running","station_count"],["2026-02-02 00:00:00","x","9","8"]]"#,
                "has the row"
            ),
            (
                #"[{"time_tag":"2026-07-25T00:00:00","Kp":9.33,"a_running":4,"station_count":8}]"#,
                "has Kp 9.33"
            ),
            (
                #"[{"time_tag":"2026-07-25T00:00:00","Kp":-1,"a_running":4,"station_count":8}]"#,
                "has Kp -1.0"
            ),
            (
                #"[{"time_tag":"25 July","Kp":1,"a_running":4,"station_count":8}]"#,
                "has the time '25 July'"
            ),
        ] as [(String, String?)]
    )
    func whatIsNotTheProductIsRefused(text: String, problem: String?) throws {
        let error = try #require(throws: RecordingError.self) { try KpTable(made(text)) }
        if let problem { expect(error.problem.hasPrefix(problem)) }
    }
}

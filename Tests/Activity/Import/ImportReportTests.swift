import Activity
import Expectations

@Suite("The report of an import", .timeLimit(.minutes(10)))
struct ImportReportTests {
    @Test("says what was stored, what was not and how long it took")
    func everything() {
        var report = ImportReport()
        let film = ImportedFilm(key: "own:a", title: "A", year: 1926)
        report.add(.films([film, film]), stored: ImportedRows(ids: [1, 2], newCount: 1))
        report.add(.films([film]), stored: ImportedRows(ids: [3], newCount: 1))
        report.add(ImportProblem(file: "b.csv", line: 7, message: "title is empty"))
        report.add(ImportProblem(file: "c.json", message: "it is not UTF-8"))
        report.duration = .milliseconds(1_950)
        expectEqual(
            report.description,
            """
            3 films, 2 of them new
            2 not taken:
              b.csv:7: title is empty
              c.json: it is not UTF-8
            in 1.9 s
            """
        )
    }

    @Test(
        "has its duration in milliseconds below a second, else in tenths of a second",
        arguments: [
            (Duration.microseconds(999), "0 ms"), (.milliseconds(999), "999 ms"),
            (.milliseconds(1000), "1.0 s"), (.seconds(3725), "3725.0 s"),
        ]
    )
    func durations(duration: Duration, text: String) {
        var report = ImportReport()
        report.duration = duration
        expect(report.description.hasSuffix("\nin \(text)"))
    }

    @Test("of nothing is that there were no films")
    func nothing() {
        expectEqual(ImportReport().description, "0 films, 0 of them new")
    }
}

import Expectations

@testable import Radar

@Suite("Segments: what begins one", .timeLimit(.minutes(10)))
struct SegmentTableTests {
    private func segment(
        _ table: inout SegmentTable,
        _ source: String,
        model: String = "m1",
        prompt: String = "1",
        current: Int
    ) -> Int {
        table.segment(of: source, model: model, promptVersion: prompt, current: current)
    }

    @Test func firstOpinionOfASourceBeginsNone() {
        var table = SegmentTable()
        expectEqual(segment(&table, "a", current: 0), 0)
        expectEqual(segment(&table, "b", model: "other", prompt: "9", current: 5), 5)
    }

    @Test func sameModelAndPromptGoOn() {
        var table = SegmentTable()
        for _ in 0..<3 { expectEqual(segment(&table, "a", current: 2), 2) }
    }

    @Test func changeOfTheModelBeginsOne() {
        var table = SegmentTable()
        _ = segment(&table, "a", current: 0)
        expectEqual(segment(&table, "a", model: "m2", current: 0), 1)
        expectEqual(segment(&table, "a", model: "m2", current: 1), 1)
        expectEqual(segment(&table, "a", model: "m1", current: 1), 2, "and so does the way back")
    }

    @Test func changeOfThePromptBeginsOne() {
        var table = SegmentTable()
        _ = segment(&table, "a", current: 0)
        expectEqual(segment(&table, "a", prompt: "2", current: 0), 1)
    }

    @Test func sourcesAreKeptApart() {
        var table = SegmentTable()
        _ = segment(&table, "a", model: "m1", current: 0)
        _ = segment(&table, "b", model: "m2", current: 0)
        expectEqual(segment(&table, "a", model: "m1", current: 0), 0)
        expectEqual(segment(&table, "b", model: "m3", current: 0), 1)
        expectEqual(segment(&table, "a", model: "m1", current: 1), 1)
    }

    @Test func seriesBeginsWithTheModelThatAnswersNow() {
        var table = SegmentTable()
        expectEqual(table.series, [:])
        _ = segment(&table, "a", current: 4)
        _ = segment(&table, "b", current: 4)
        expectEqual(table.series, ["a": 4, "b": 4])
        expectEqual(segment(&table, "b", model: "m2", current: 4), 5)
        _ = segment(&table, "a", current: 5)
        expectEqual(
            table.series,
            ["a": 4, "b": 5],
            "the segment of another source is none of its own"
        )
        table.countNoOpinion(of: "c", reason: "refusal")
        expectEqual(table.series.count, 2)
    }

    @Test func tableOfAVersionWithoutSeriesIsRead() throws {
        let text = #"{"b":{"model":"m1","promptVersion":"1","noOpinions":{}}}"#
        var table = try require(SegmentTable(json: Array(text.utf8)))
        expectEqual(table.series, [:])
        expectEqual(String(decoding: table.json(), as: UTF8.self), text)
        expectEqual(segment(&table, "b", current: 7), 7)
        expectEqual(table.series, [:], "earlier opinions are of the same model")
        expectEqual(segment(&table, "b", model: "m2", current: 7), 8)
        expectEqual(table.series, ["b": 8])
    }

    @Test func noOpinionsAreCountedBySourceAndReason() {
        var table = SegmentTable()
        table.countNoOpinion(of: "a", reason: "refusal")
        table.countNoOpinion(of: "a", reason: "refusal")
        table.countNoOpinion(of: "b", reason: "refusal")
        table.countNoOpinion(of: "b", reason: "truncated")
        expectEqual(table.noOpinions, ["refusal": 3, "truncated": 1])
        expectEqual(segment(&table, "a", current: 0), 0, "a refusal is no first opinion")
        expectEqual(table.noOpinions, ["refusal": 3, "truncated": 1])
        expectEqual(segment(&table, "a", model: "m2", current: 0), 1)
        expectEqual(
            table.noOpinions,
            ["refusal": 1, "truncated": 1],
            "another model, another count"
        )
    }

    @Test func tableIsReadAsItWasWritten() throws {
        var table = SegmentTable()
        expectEqual(SegmentTable(json: table.json()), table)
        _ = segment(&table, "b", current: 0)
        table.countNoOpinion(of: "a", reason: "refusal")
        table.countNoOpinion(of: "b", reason: "garbage")
        let text = String(decoding: table.json(), as: UTF8.self)
        expectEqual(
            text,
            #"{"a":{"model":null,"promptVersion":null,"noOpinions":{"refusal":1}},"#
                + #""b":{"model":"m1","promptVersion":"1","since":0,"noOpinions":{"garbage":1}}}"#
        )
        expectEqual(SegmentTable(json: Array(text.utf8)), table)
    }

    @Test(arguments: [
        "", "[]", #"{"a":1}"#, #"{"a":{}}"#, #"{"a":{"noOpinions":{"x":-1}}}"#,
        #"{"a":{"model":"m","promptVersion":"1","since":-1,"noOpinions":{}}}"#,
        #"{"a":{"model":"m","promptVersion":"1","since":null,"noOpinions":{}}}"#,
    ])
    func otherTextsAreNoTable(text: String) {
        expectNil(SegmentTable(json: Array(text.utf8)))
    }
}

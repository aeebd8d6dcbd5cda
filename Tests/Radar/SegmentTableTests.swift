import Testing

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
        #expect(segment(&table, "a", current: 0) == 0)
        #expect(segment(&table, "b", model: "other", prompt: "9", current: 5) == 5)
    }

    @Test func sameModelAndPromptGoOn() {
        var table = SegmentTable()
        for _ in 0..<3 { #expect(segment(&table, "a", current: 2) == 2) }
    }

    @Test func changeOfTheModelBeginsOne() {
        var table = SegmentTable()
        _ = segment(&table, "a", current: 0)
        #expect(segment(&table, "a", model: "m2", current: 0) == 1)
        #expect(segment(&table, "a", model: "m2", current: 1) == 1)
        #expect(segment(&table, "a", model: "m1", current: 1) == 2, "and so does the way back")
    }

    @Test func changeOfThePromptBeginsOne() {
        var table = SegmentTable()
        _ = segment(&table, "a", current: 0)
        #expect(segment(&table, "a", prompt: "2", current: 0) == 1)
    }

    @Test func sourcesAreKeptApart() {
        var table = SegmentTable()
        _ = segment(&table, "a", model: "m1", current: 0)
        _ = segment(&table, "b", model: "m2", current: 0)
        #expect(segment(&table, "a", model: "m1", current: 0) == 0)
        #expect(segment(&table, "b", model: "m3", current: 0) == 1)
        #expect(segment(&table, "a", model: "m1", current: 1) == 1)
    }

    @Test func seriesBeginsWithTheModelThatAnswersNow() {
        var table = SegmentTable()
        #expect(table.series == [:])
        _ = segment(&table, "a", current: 4)
        _ = segment(&table, "b", current: 4)
        #expect(table.series == ["a": 4, "b": 4])
        #expect(segment(&table, "b", model: "m2", current: 4) == 5)
        _ = segment(&table, "a", current: 5)
        #expect(
            table.series == ["a": 4, "b": 5],
            "the segment of another source is none of its own"
        )
        table.countNoOpinion(of: "c", reason: "refusal")
        #expect(table.series.count == 2)
    }

    @Test func tableOfAVersionWithoutSeriesIsRead() throws {
        let text = #"{"b":{"model":"m1","promptVersion":"1","noOpinions":{}}}"#
        var table = try #require(SegmentTable(json: Array(text.utf8)))
        #expect(table.series == [:])
        #expect(String(decoding: table.json(), as: UTF8.self) == text)
        #expect(segment(&table, "b", current: 7) == 7)
        #expect(table.series == [:], "earlier opinions are of the same model")
        #expect(segment(&table, "b", model: "m2", current: 7) == 8)
        #expect(table.series == ["b": 8])
    }

    @Test func noOpinionsAreCountedBySourceAndReason() {
        var table = SegmentTable()
        table.countNoOpinion(of: "a", reason: "refusal")
        table.countNoOpinion(of: "a", reason: "refusal")
        table.countNoOpinion(of: "b", reason: "refusal")
        table.countNoOpinion(of: "b", reason: "truncated")
        #expect(table.noOpinions == ["refusal": 3, "truncated": 1])
        #expect(segment(&table, "a", current: 0) == 0, "a refusal is no first opinion")
        #expect(table.noOpinions == ["refusal": 3, "truncated": 1])
        #expect(segment(&table, "a", model: "m2", current: 0) == 1)
        #expect(table.noOpinions == ["refusal": 1, "truncated": 1], "another model, another count")
    }

    @Test func tableIsReadAsItWasWritten() throws {
        var table = SegmentTable()
        #expect(SegmentTable(json: table.json()) == table)
        _ = segment(&table, "b", current: 0)
        table.countNoOpinion(of: "a", reason: "refusal")
        table.countNoOpinion(of: "b", reason: "garbage")
        let text = String(decoding: table.json(), as: UTF8.self)
        #expect(
            text == #"{"a":{"model":null,"promptVersion":null,"noOpinions":{"refusal":1}},"#
                + #""b":{"model":"m1","promptVersion":"1","since":0,"noOpinions":{"garbage":1}}}"#
        )
        #expect(SegmentTable(json: Array(text.utf8)) == table)
    }

    @Test(arguments: [
        "", "[]", #"{"a":1}"#, #"{"a":{}}"#, #"{"a":{"noOpinions":{"x":-1}}}"#,
        #"{"a":{"model":"m","promptVersion":"1","since":-1,"noOpinions":{}}}"#,
        #"{"a":{"model":"m","promptVersion":"1","since":null,"noOpinions":{}}}"#,
    ])
    func otherTextsAreNoTable(text: String) {
        #expect(SegmentTable(json: Array(text.utf8)) == nil)
    }
}

import Core
import Expectations

@Suite("Fields of events", .timeLimit(.minutes(10)))
struct AlertFieldsTests {
    private func fields(_ events: String...) -> [String: AlertValue] {
        var fields = AlertFields()
        for event in events { fields.take(Array(event.utf8)) }
        return fields.values
    }

    @Test func valuesAreNamedByTheirPaths() {
        let data = #"{"score":-0.5,"position":"against","isPublic":true,"slope":{"perDay":1e-2}}"#
        expectEqual(
            fields(data),
            [
                "score": .number(-0.5), "position": .text("against"), "isPublic": .text("true"),
                "slope.perDay": .number(0.01),
            ]
        )
    }

    @Test func nullsAndListsAreMissing() {
        expectEqual(fields(#"{"a":null,"b":[1,2],"c":{},"d":[{"e":1}]}"#), [:])
    }

    @Test func laterEventsReplaceWhatTheyTellAndLeaveTheRest() {
        let merged = fields(
            #"{"score":1,"slope":{"perDay":1,"direction":"rising"}}"#,
            #"{"slope":{"perDay":2},"point":{"forCount":3}}"#
        )
        expectEqual(
            merged,
            [
                "score": .number(1), "slope.perDay": .number(2), "point.forCount": .number(3),
            ]
        )
        expectEqual(fields(#"{"slope":{"perDay":1},"slopes":1}"#, #"{"slope":null}"#).count, 1)
    }

    @Test func whatIsNoObjectTellsNothing() {
        for text in ["", "[]", "1", "null", "{", #"{"a":1"#] {
            expectEqual(fields(#"{"score":1}"#, text), ["score": .number(1)], "\(text)")
        }
    }

    @Test func boundsAreKept() {
        let long = String(repeating: "x", count: 300)
        expectEqual(fields(#"{"a":"\#(long)","b":"short"}"#), ["b": .text("short")])
        expectEqual(fields(#"{"\#(long)":1,"b":1}"#), ["b": .number(1)])
        expectEqual(fields(#"{"a":{"b":{"c":{"d":1,"e":{"f":1}}}}}"#), ["a.b.c.d": .number(1)])
        let many = (0..<200).map { #""f\#($0)":1"# }.joined(separator: ",")
        expectEqual(fields("{\(many)}").count, AlertFields.countMax)
        expectEqual(fields(#"{"big":1e999}"#), [:])
    }

    @Test func onlyNamedFieldsAreKept() {
        let names = AlertFieldNames(["score", "slope.perDay", "a.b"])
        expectEqual(names.count, 3)
        var fields = AlertFields(["score": .number(1)])
        let many = (0..<200).map { #""f\#($0)":1"# }.joined(separator: ",")
        let data = "{\(many)," + #""slope":{"perDay":2,"direction":"up"},"a.b":3,"b":{"score":4}}"#
        fields.take(Array(data.utf8), only: names)
        expectEqual(
            fields.values,
            [
                "score": .number(1), "slope.perDay": .number(2), "a.b": .number(3),
            ]
        )
        fields.keep(only: AlertFieldNames(["score"]))
        expectEqual(fields.values, ["score": .number(1)])
    }

    @Test func ofMembersWithOneNameTheLastCounts() {
        let names = AlertFieldNames(["a.b", "a.c"])
        var fields = AlertFields()
        fields.take(Array(#"{"a":{"b":1},"a":{"c":2}}"#.utf8), only: names)
        expectEqual(fields.values, ["a.c": .number(2)])
        fields.take(Array(#"{"a":null}"#.utf8), only: names)
        expectEqual(fields.values, [:])
    }

    @Test func whatIsStoredReadsBack() {
        var fields = AlertFields()
        fields.take(Array(#"{"a":{"b":0.1,"c":"\"x\" ø"},"d":-3,"e":1e300}"#.utf8))
        expectEqual(fields.values.count, 4)
        expectEqual(AlertFields(json: fields.json), fields)
        expectNil(AlertFields(json: Array("?".utf8)))
        expectEqual(AlertFields(json: AlertFields().json), AlertFields())
    }
}

import Core
import Testing

@Suite("Fields of events", .timeLimit(.minutes(10)))
struct AlertFieldsTests {
    private func fields(_ events: String...) -> [String: AlertValue] {
        var fields = AlertFields()
        for event in events { fields.take(Array(event.utf8)) }
        return fields.values
    }

    @Test func valuesAreNamedByTheirPaths() {
        let data = #"{"score":-0.5,"position":"against","isPublic":true,"slope":{"perDay":1e-2}}"#
        #expect(
            fields(data) == [
                "score": .number(-0.5), "position": .text("against"), "isPublic": .text("true"),
                "slope.perDay": .number(0.01),
            ]
        )
    }

    @Test func nullsAndListsAreMissing() {
        #expect(fields(#"{"a":null,"b":[1,2],"c":{},"d":[{"e":1}]}"#) == [:])
    }

    @Test func laterEventsReplaceWhatTheyTellAndLeaveTheRest() {
        let merged = fields(
            #"{"score":1,"slope":{"perDay":1,"direction":"rising"}}"#,
            #"{"slope":{"perDay":2},"point":{"forCount":3}}"#
        )
        #expect(
            merged == [
                "score": .number(1), "slope.perDay": .number(2), "point.forCount": .number(3),
            ]
        )
        #expect(fields(#"{"slope":{"perDay":1},"slopes":1}"#, #"{"slope":null}"#).count == 1)
    }

    @Test func whatIsNoObjectTellsNothing() {
        for text in ["", "[]", "1", "null", "{", #"{"a":1"#] {
            #expect(fields(#"{"score":1}"#, text) == ["score": .number(1)], "\(text)")
        }
    }

    @Test func boundsAreKept() {
        let long = String(repeating: "x", count: 300)
        #expect(fields(#"{"a":"\#(long)","b":"short"}"#) == ["b": .text("short")])
        #expect(fields(#"{"\#(long)":1,"b":1}"#) == ["b": .number(1)])
        #expect(fields(#"{"a":{"b":{"c":{"d":1,"e":{"f":1}}}}}"#) == ["a.b.c.d": .number(1)])
        let many = (0..<200).map { #""f\#($0)":1"# }.joined(separator: ",")
        #expect(fields("{\(many)}").count == AlertFields.countMax)
        #expect(fields(#"{"big":1e999}"#) == [:])
    }

    @Test func onlyNamedFieldsAreKept() {
        let names = AlertFieldNames(["score", "slope.perDay", "a.b"])
        #expect(names.count == 3)
        var fields = AlertFields(["score": .number(1)])
        let many = (0..<200).map { #""f\#($0)":1"# }.joined(separator: ",")
        let data = "{\(many)," + #""slope":{"perDay":2,"direction":"up"},"a.b":3,"b":{"score":4}}"#
        fields.take(Array(data.utf8), only: names)
        #expect(
            fields.values == [
                "score": .number(1), "slope.perDay": .number(2), "a.b": .number(3),
            ]
        )
        fields.keep(only: AlertFieldNames(["score"]))
        #expect(fields.values == ["score": .number(1)])
    }

    @Test func ofMembersWithOneNameTheLastCounts() {
        let names = AlertFieldNames(["a.b", "a.c"])
        var fields = AlertFields()
        fields.take(Array(#"{"a":{"b":1},"a":{"c":2}}"#.utf8), only: names)
        #expect(fields.values == ["a.c": .number(2)])
        fields.take(Array(#"{"a":null}"#.utf8), only: names)
        #expect(fields.values == [:])
    }

    @Test func whatIsStoredReadsBack() {
        var fields = AlertFields()
        fields.take(Array(#"{"a":{"b":0.1,"c":"\"x\" ø"},"d":-3,"e":1e300}"#.utf8))
        #expect(fields.values.count == 4)
        #expect(AlertFields(json: fields.json) == fields)
        #expect(AlertFields(json: Array("?".utf8)) == nil)
        #expect(AlertFields(json: AlertFields().json) == AlertFields())
    }
}

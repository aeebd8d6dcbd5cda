import Expectations

/// An expectation that cannot fail proves nothing.
@Suite("Expectations: what fails, and the words of it", .timeLimit(.minutes(10)))
struct ExpectationsTests {
    private func fails(
        _ text: String,
        _ body: () throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withKnownIssue(sourceLocation: sourceLocation) {
            try body()
        } matching: { issue in
            // The error that ends a test follows the issue that says why.
            issue.error is RequirementFailure || issue.comments.map(\.rawValue) == [text]
        }
    }

    @Test func failureHasTheValuesAndTheComment() throws {
        try fails("expected true") { expect(1 == 2) }
        try fails("expected true: seed 3") { expect(1 == 2, "seed \(1 + 2)") }
        try fails("1 is not 2") { expectEqual(1, 2) }
        try fails(#""a" is not "b": of a text"#) { expectEqual("a", "b", "of a text") }
        try fails("Optional(1) is not nil") { expectEqual(Int?.some(1), nil) }
        try fails("1 is not nil") { expectNil(Int?.some(1)) }
        try fails("expected a value of Int") { _ = try require(Int?.none) }
        try fails("expected true") { try require(1 == 2) }
    }

    @Test func nothingIsRecordedOfWhatHolds() throws {
        expect(true, "not read: \(neverRead())")
        expectEqual([1], [1])
        expectEqual(Int?.none, nil)
        expectNil(Int?.none)
        try require(true)
        expectEqual(try require(Int?.some(7)), 7)
    }

    private func neverRead() -> String {
        Issue.record("the comment of an expectation that holds was read")
        return ""
    }

    @Test func requirementEndsTheTest() {
        var isOver = true
        withKnownIssue {
            _ = try require(Int?.none)
            isOver = false
        }
        expect(isOver)
    }
}

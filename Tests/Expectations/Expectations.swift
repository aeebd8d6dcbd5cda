// The one import of a test: the functions below and swift-testing.
@_exported import Testing

// Functions in place of the macros `#expect` and `#require`, which a compiler expands for each of twenty
// thousand expectations: docs/DECISIONS/044-complete-builds.md. `#expect(throws:)` and the macros for exit
// tests have no function.

/// Records an issue unless the condition is true.
package func expect(
    _ condition: Bool,
    _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    guard !condition else { return }
    record("expected true", comment(), sourceLocation)
}

/// Records an issue with both values unless they are equal.
package func expectEqual<Value: Equatable>(
    _ value: Value,
    _ expected: Value,
    _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    guard value != expected else { return }
    let difference = "\(String(reflecting: value)) is not \(String(reflecting: expected))"
    record(difference, comment(), sourceLocation)
}

/// Records an issue with the value if there is one.
package func expectNil<Value>(
    _ value: Value?,
    _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    guard let value else { return }
    record("\(String(reflecting: value)) is not nil", comment(), sourceLocation)
}

/// The value; without one it records an issue and ends the test.
package func require<Value>(
    _ value: Value?,
    _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> Value {
    if let value { return value }
    record("expected a value of \(Value.self)", comment(), sourceLocation)
    throw RequirementFailure()
}

/// Records an issue and ends the test unless the condition is true.
package func require(
    _ condition: Bool,
    _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    guard !condition else { return }
    record("expected true", comment(), sourceLocation)
    throw RequirementFailure()
}

/// A test cannot go on: the issue is recorded already.
package struct RequirementFailure: Error {}

private func record(_ text: String, _ comment: Comment?, _ sourceLocation: SourceLocation) {
    let whole = comment.map { "\(text): \($0.rawValue)" } ?? text
    Issue.record(Comment(rawValue: whole), sourceLocation: sourceLocation)
}

// FuzzTargets: what may come of bytes that a stranger sends, as functions that a fuzzer and a test
// call.

/// One reader of outside bytes and what it may do with any of them.
///
/// Allowed are a result and a documented error, nothing else: a trap ends the process, and a result
/// that breaks an invariant throws a `Violation`. `check` depends on nothing but its bytes, so that
/// a found input fails again wherever it is run.
package struct FuzzTarget: Sendable {
    /// As it is given to `make fuzz`, and the name of its folder in Fuzz/Corpus.
    package let name: String
    /// Of an input, in bytes. Enough for every limit that the target's check sets, and no more:
    /// long inputs are slow and find little.
    package let lengthMax: Int
    /// The file in Fuzz/Dictionaries with the words of the format.
    package let dictionary: String
    package let check: @Sendable ([UInt8]) throws -> Void

    init(
        _ name: String,
        lengthMax: Int,
        dictionary: String,
        check: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        precondition(lengthMax > 0)
        self.name = name
        self.lengthMax = lengthMax
        self.dictionary = dictionary
        self.check = check
    }

    package static let all: [FuzzTarget] =
        httpTargets + routeTargets + webSocketTargets + deflateTargets + handshakeTargets
        + clientTargets
        + pubSubTargets + serverAPITargets + textTargets + feedTargets + providerTargets
        + activityTargets
        + catalogueTargets + tokenTargets + upstreamTargets
}

/// An invariant that did not hold.
package struct Violation: Error, CustomStringConvertible {
    package let description: String
}

/// Throws unless `condition` holds.
func expect(
    _ condition: Bool,
    _ message: @autoclosure () -> String
) throws(Violation) {
    guard condition else { throw Violation(description: message()) }
}

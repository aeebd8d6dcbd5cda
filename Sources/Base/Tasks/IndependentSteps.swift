/// Runs steps one after the other, also after one of them has failed, and collects the failures.
///
/// For work that is repeated, such as maintenance: a step that can never succeed must not prevent
/// those behind it. Call `end` after the last step.
package struct IndependentSteps {
    private var failures: [StepFailures.Failure] = []
    private var isCancelled = false

    package init() {}

    /// Runs a step, unless the task was cancelled in an earlier one.
    ///
    /// - Parameter name: a constant, for the log.
    package mutating func run(
        _ name: String,
        isolation: isolated (any Actor)? = #isolation,
        _ step: () async throws -> Void
    ) async {
        guard !isCancelled else { return }
        do {
            try await step()
        } catch is CancellationError {
            isCancelled = true
        } catch let inner as StepFailures {
            failures += inner.failures.map { failure in
                StepFailures.Failure(step: "\(name).\(failure.step)", error: failure.error)
            }
        } catch {
            failures.append(StepFailures.Failure(step: name, error: error))
        }
    }

    /// - Throws: `StepFailures` if steps have failed; else `CancellationError` if the task was
    ///   cancelled.
    package func end() throws {
        guard failures.isEmpty else { throw StepFailures(failures: failures) }
        if isCancelled { throw CancellationError() }
    }
}

/// The steps that failed, in their order.
package struct StepFailures: Error, CustomStringConvertible {
    package struct Failure: Sendable {
        /// The name of the step; one of several levels has dots, such as `radar.opinions`.
        package let step: String
        package let error: any Error
    }

    package let failures: [Failure]

    package var description: String {
        failures.map { "\($0.step): \($0.error)" }.joined(separator: "; ")
    }
}

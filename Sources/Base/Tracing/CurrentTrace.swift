/// The trace that the running task works for: of the request that it answers, or of the poll that it makes.
///
/// Log entries of the task have its id, and requests to other servers continue it.
package enum CurrentTrace {
    @TaskLocal package static var value: TraceParent?

    /// A new trace, with random numbers of the system.
    package static func beginning(isSampled: Bool) -> TraceParent {
        let random = { UInt64.random(in: .min ... .max) }
        return .beginning(random: (random(), random(), random()), isSampled: isSampled)
    }

    /// Runs work in the task's trace, or in a new one if it has none.
    package static func continued<Value>(
        isSampled: Bool,
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        guard value == nil else { return try await work() }
        return try await $value.withValue(
            beginning(isSampled: isSampled),
            operation: work,
            isolation: isolation
        )
    }

    /// The header of a request to another server; nil outside of a trace.
    package static func child() -> TraceParent? {
        value?.child(random: .random(in: .min ... .max))
    }
}

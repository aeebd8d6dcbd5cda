import Timekeeping

/// Whether the store takes changes, as its last transaction tells.
package enum StoreHealth: Sendable, Equatable {
    case ok
    /// Transactions have failed since then, this way the first time. Not counted is a change that was
    /// refused for its own fault.
    case failing(since: Timestamp, StoreError)

    /// Why durable publications are refused, without paths and SQL; nil when they are not.
    package var refusal: String? {
        switch self {
        case .ok: nil
        case .failing(_, let error): error.code.summary
        }
    }

    /// What is known after a transaction.
    ///
    /// - Parameter failure: of the file; nil when the transaction was committed.
    mutating func note(_ failure: StoreError?, at time: Timestamp) {
        switch (self, failure) {
        case (_, nil): self = .ok
        case (.ok, .some(let failure)): self = .failing(since: time, failure)
        case (.failing, .some): break
        }
    }
}

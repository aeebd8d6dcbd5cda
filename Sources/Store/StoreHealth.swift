/// Whether the store accepts changes, according to its last transaction.
package enum StoreHealth: Sendable, Equatable {
    case ok
    /// Transactions have failed since then; the error is the first one. A change that was refused
    /// for its own fault does not count.
    case failing(since: Timestamp, StoreError)

    /// The reason why durable publications are refused, without paths and SQL; nil when they are
    /// accepted.
    package var refusal: String? {
        switch self {
        case .ok: nil
        case .failing(_, let error): error.code.summary
        }
    }

    /// Updates the health after a transaction.
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

import Store

/// Decides how many rows the next transaction takes from the inbox, and what follows from its
/// result.
///
/// The rules find the rows that can never be published before they reach the log. If the store
/// refuses a transaction nevertheless, one of its rows is at fault. The next transactions then take
/// one row each, until the row is found and refused: the others are not held up.
///
/// **States.** many → single after a fault of the rows; single → many after a success, or after the
/// row was refused. All other errors are temporary, and change no state.
struct InboxPace: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        /// Takes rows again at once.
        case again
        /// The oldest row cannot be published.
        case refuseOldest(reason: String)
        /// The rows wait for the next look.
        case later
    }

    /// The bound of how long other writers wait for one transaction.
    static let rowsMax = 100

    private var isSingle = false

    var rowsMax: Int { isSingle ? 1 : Self.rowsMax }

    mutating func noteSuccess() {
        isSingle = false
    }

    mutating func noteFailure(_ error: any Error) -> Step {
        guard let error = error as? StoreError, error.isOfTheRows else { return .later }
        guard isSingle else {
            isSingle = true
            return .again
        }
        isSingle = false
        return .refuseOldest(reason: error.code.summary)
    }
}

extension StoreError {
    fileprivate var isOfTheRows: Bool {
        switch code {
        case .constraint, .notFound, .changeTooBig: true
        case .cannotOpen, .notADatabase, .foreignDatabase, .newerSchema, .readOnly, .locked,
            .diskFull, .gone, .ioFailed, .notLeading, .fateUnknown, .corrupt, .queueFull,
            .tooManyTopics,
            .closed, .other:
            false
        }
    }
}

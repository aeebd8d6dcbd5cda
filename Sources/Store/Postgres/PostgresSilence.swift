/// The report of a server, on another connection, about the processes of connections that wait.
package enum PostgresAnswer: Sendable, Equatable {
    /// It did not answer in time, or refused the connection.
    case none
    /// It answers, but does not report, such as with all its connections in use.
    case refusal
    /// Those processes that work on a statement or wait for something other than their client.
    case working(Set<Int64>)
}

/// Decides when a connection is given up whose server is silent.
///
/// A server may take long for an answer: a COMMIT waits for a synchronous standby, a migration
/// rewrites a table. So the server is asked on another connection before the limit is reached. A
/// server that hangs does not answer there. One that lives answers which of its processes work.
///
/// **Not here.** It reads no clock and asks no server: see `PostgresWatchdog`.
package struct PostgresSilence: Sendable, Equatable {
    /// The silence after which a connection is given up.
    package let limit: Duration

    package init(limit: Duration) {
        precondition(limit > .zero)
        self.limit = limit
    }

    /// The silence after which the server is first asked: it has as long to answer.
    package var doubtAfter: Duration { limit / 2 }
    /// The time in which the server has to answer.
    package var answerWithin: Duration { limit / 2 }
    /// The interval at which the calls under way are looked at.
    package var pause: Duration { limit / 10 }

    package enum Step: Sendable, Equatable {
        /// Ask when the silence has lasted for so long, if it lasts.
        case ask(after: Duration)
        case giveUp
    }

    /// Takes an answer.
    ///
    /// - Parameters:
    ///   - silence: for how long the server was silent when it was asked.
    ///   - process: the server's process of the connection; nil while it is not known.
    ///   - isSending: whether the kernel still has bytes for the server, whose loss it detects itself.
    package func step(
        after answer: PostgresAnswer,
        silence: Duration,
        process: Int64?,
        isSending: Bool
    ) -> Step {
        switch answer {
        case .none: return .giveUp
        case .refusal: return .ask(after: silence + limit)
        case .working(let processes):
            guard let process, !processes.contains(process), !isSending else {
                return .ask(after: silence + limit)
            }
            // Its answer may be on the way.
            return silence < limit ? .ask(after: limit) : .giveUp
        }
    }
}

import Core

/// The rows of the logs of connections and topics, in a store.
struct LifecycleLogs {
    private struct Log {
        var isThere = false
        /// Of a connection that has been closed.
        var isOver = false
    }

    private var logs: [LifecycleSubject: Log] = [:]

    /// The subjects whose log ends with an arrival.
    var present: [LifecycleSubject] { logs.filter(\.value.isThere).map(\.key) }

    mutating func add(_ change: LifecycleChange, _ trace: Trace) {
        let subject = change.subject
        var log = logs[subject] ?? Log()
        trace.expect(
            log.isThere != change.isThere,
            "\(subject.name.text): \(change.isThere ? "came" : "went") twice"
        )
        trace.expect(!log.isOver, "connection \(subject.name.text) has come back")
        log.isThere = change.isThere
        // One that counts as lost may be there all the same, on a node that was cut off.
        log.isOver = subject.kind == .client && !change.isThere && change.reason != .lost
        logs[subject] = log
        trace.count(change.isThere ? .arrivals : .departures)
    }

    /// The difference between the logs and who is there; nil if they agree.
    ///
    /// - Parameter others: clients whose ids are not known.
    func missing(clients: Set<String>, others: Int) -> String? {
        let present = present
        let known = Set(present.filter { $0.kind == .client }.map(\.name.text))
        if !clients.isSubset(of: known) { return "clients are in no log" }
        if known.count > clients.count + others { return "clients are there that have gone" }
        let topics = Set(present.filter { $0.kind == .topic }.map(\.name.text))
        return topics == Set(Topics.all.map(\.name)) ? nil : "topics are in no log"
    }
}

/// The rows of one transaction: which are published, in one change, and which are refused.
///
/// A value, made from the rows and the rules before the change is applied, and completed by
/// `settle` with the outcomes of its events.
struct InboxPlan: Sendable, Equatable {
    /// The events of `published`, in their order, and the webhooks about them.
    private(set) var change = Change()
    private(set) var published: [InboxRow] = []
    private(set) var refusals: [InboxRefusal] = []

    /// Decides about rows in order, up to the first one that has no room in the change. That row
    /// and the following ones stay in the inbox.
    ///
    /// - Parameter bytesMax: the maximum length of a change. A row that exceeds it by itself, with
    ///   its webhooks, is refused.
    init(_ rows: [InboxRow], bytesMax: Int, _ decide: (InboxRow) -> InboxVerdict) {
        var length = 0
        for row in rows {
            switch decide(row) {
            case .refuse(let reason): refusals.append(InboxRefusal(row, reason))
            case .publish(let own):
                precondition(own.events.count == 1, "one event for each row")
                guard own.length <= bytesMax else {
                    let excess = "\(own.length) bytes over limit \(bytesMax)"
                    refusals.append(InboxRefusal(row, "publication and webhooks: \(excess)"))
                    continue
                }
                guard length + own.length <= bytesMax else { return }
                length += own.length
                add(own, of: row)
            }
        }
    }

    private mutating func add(_ own: Change, of row: InboxRow) {
        for delivery in own.deliveries {
            var delivery = delivery
            delivery.eventIndex = delivery.eventIndex.map { $0 + change.events.count }
            change.deliveries.append(delivery)
        }
        change.events += own.events
        published.append(row)
    }

    /// Refuses the rows whose events found no room in memory.
    ///
    /// - Parameter outcomes: of the events, in order.
    mutating func settle(_ outcomes: [EventOutcome]) {
        precondition(outcomes.count == published.count, "one outcome for each event")
        var kept: [InboxRow] = []
        for (row, outcome) in zip(published, outcomes) {
            switch outcome {
            case .published, .duplicate, .stale: kept.append(row)
            case .refused(let refusal):
                refusals.append(InboxRefusal(row, "\(refusal.limit) topics in memory, the limit"))
            }
        }
        published = kept
    }

    var batch: InboxBatch {
        InboxBatch(
            takenCount: published.count,
            refusals: refusals,
            hasDeliveries: !change.deliveries.isEmpty
        )
    }
}

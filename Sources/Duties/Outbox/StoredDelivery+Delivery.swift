import Foundation

extension StoredDelivery {
    /// The delivery's state, decoded.
    package var delivery: Delivery {
        guard !state.isEmpty,
            let stored = try? JSONDecoder().decode(Delivery.self, from: Data(state))
        else { return Delivery(now: createdAt) }
        return stored
    }

    /// Why it failed permanently; nil if it has not.
    package var failureReason: String? {
        guard case .failed = status else { return nil }
        return switch delivery.state {
        case .exhausted: "exhausted"
        case .gone: "gone"
        case .dropped: "dropped"
        case .pending, .delivered: nil
        }
    }
}

extension DeliveryRecord {
    package init(_ id: Int64, _ delivery: Delivery) {
        self.init(
            deliveryID: id,
            status: DeliveryStatus(delivery.state),
            attempts: delivery.attempts,
            statusCode: delivery.lastStatus,
            state: (try? JSONEncoder().encode(delivery)).map(Array.init) ?? []
        )
    }

    /// Creates the record of a dropped delivery, which gets no further attempt.
    package init(dropping row: StoredDelivery, now: Timestamp) {
        var delivery = row.delivery
        // The store has the row as pending, so a decoded state that has ended is ignored.
        if delivery.nextAttempt == nil { delivery = Delivery(now: row.createdAt) }
        delivery.drop(now: now)
        self.init(row.id, delivery)
    }
}

extension DeliveryStatus {
    fileprivate init(_ state: Delivery.State) {
        self =
            switch state {
            case .pending(let next): .pending(nextAttempt: next)
            case .delivered(let time): .delivered(at: time)
            case .exhausted(let time), .gone(let time), .dropped(let time): .failed(at: time)
            }
    }
}

import Logging

/// The silences in force. All methods are thread-safe and short.
///
/// Commit a silence before it is put here, and its removal before it is removed here.
package final class AlertSilences: Sendable {
    /// The domain of their rows; the key is the silence's id.
    package static let domain = "alert_silences"
    /// The maximum at one time.
    package static let countMax = 100

    private let silences = Locked<[String: AlertSilence]>([:])

    package init() {}

    package func restore(_ rows: [StateRow], _ logger: Logger) {
        for row in rows {
            guard let silence = AlertSilence(row) else {
                logger.warning("stored silence not used", metadata: ["silence": "\(row.key)"])
                continue
            }
            put(silence)
        }
    }

    package func put(_ silence: AlertSilence) {
        silences.withLock { $0[silence.id] = silence }
    }

    package func remove(_ ids: [String]) {
        silences.withLock { silences in
            for id in ids { silences[id] = nil }
        }
    }

    package subscript(id: String) -> AlertSilence? { silences.withLock { $0[id] } }

    /// Returns the silences that hold, the first to end first.
    package func holding(now: Timestamp) -> [AlertSilence] {
        silences.withLock { Array($0.values) }.filter { now < $0.until }
            .sorted { ($0.until, $0.id) < ($1.until, $1.id) }
    }

    /// Returns the ids of those that have ended.
    package func ended(now: Timestamp) -> [String] {
        silences.withLock { $0.values.filter { $0.until <= now }.map(\.id) }.sorted()
    }

    /// Whether a silence covers the alert.
    package func cover(_ record: AlertRecord, now: Timestamp) -> Bool {
        silences.withLock { $0.values.contains { $0.covers(record, now: now) } }
    }
}

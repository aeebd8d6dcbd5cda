import DomainKit
import Radar

/// The first messages of the app's sockets.
extension RadarService {
    /// Reads a radar and the updates that a returning reader has missed, and delivers them before
    /// the next change of the radar.
    ///
    /// A change of the radar is committed, and its messages are posted to the loops, before the
    /// next one begins (`execution`). This takes its turn among them, so the changes that it reads
    /// have been posted, and the later ones will be posted after it.
    ///
    /// - Parameter since: the `cursor` of a message; nil for a reader that has nothing.
    /// - Throws: `RadarError.notFound`, `StoreError`.
    package func open(
        _ id: String,
        since: String?,
        _ deliver: @escaping @Sendable ([[UInt8]]) -> Void
    ) async throws {
        try await execution.run(id) { [self] in
            let radar = try await load(id).radar
            let (shown, missed) = try await store.readRadars { tables in
                (
                    try tables.shownOpinions(of: id),
                    try since.flatMap {
                        try tables.opinions(
                            of: id,
                            arrivedAfter: $0,
                            limit: RadarLimits.missedMax + 1
                        )
                    }
                )
            }
            deliver(
                RadarOpening(radar, shown, since: since, missed: missed?.map(\.opinion)).messages
            )
        }
    }
}

/// The first messages of a socket: those that its reader has missed, and the whole radar.
package struct RadarOpening: Sendable {
    package let messages: [[UInt8]]

    /// - Parameters:
    ///   - since: the position that the reader has given.
    ///   - missed: the opinions that have arrived since, in order, and one more than may be sent if
    ///     there are more; nil if the position is not known.
    package init(_ radar: RadarState, _ shown: ShownOpinions, since: String?, missed: [Opinion]?) {
        func refresh(isRecovered: Bool?) -> [UInt8] {
            RadarUpdate.refresh(radar, shown.opinions)
                .message(radarID: radar.id, cursor: shown.cursor, isRecovered: isRecovered)
        }
        guard since != nil else {
            messages = [refresh(isRecovered: nil)]
            return
        }
        let updates = (missed ?? []).map { opinion in
            RadarUpdate.newOpinion(opinion).message(radarID: radar.id, cursor: opinion.id)
        }
        let bytes = updates.reduce(0) { $0 + $1.count }
        let isRecovered =
            missed != nil && updates.count <= RadarLimits.missedMax
            && bytes <= RadarLimits.missedBytesMax
        messages = (isRecovered ? updates : []) + [refresh(isRecovered: isRecovered)]
    }
}

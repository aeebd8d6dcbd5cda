import DomainKit
import Radar

/// The opinions that a radar carries along, newest first, and how far they reach.
package struct ShownOpinions: Sendable, Equatable {
    package var opinions: [Opinion]
    /// The id of the one that arrived last, which need not be the newest; nil without any.
    package var cursor: String?

    package init(_ opinions: [Opinion], cursor: String?) {
        self.opinions = opinions
        self.cursor = cursor
    }
}

/// Opinions in the order in which they arrived: that of their numbers.
///
/// The order of their times is another one: the answer of a source that is taken from the cache has the time
/// at which it was given, which can be days before.
extension RadarTables {
    /// Answers are older than their arrival by this much at most: the greatest `radar.cache_age`, and a day for
    /// clocks that are set.
    private static let delayMax = Duration.seconds(31 * 86_400)

    package func shownOpinions(of radarID: String) throws -> ShownOpinions {
        let rows = try session.rows(
            RadarSQL.selectNumberedOpinions,
            [radarID, RadarLimits.opinionsShown]
        ) { row in
            (
                row: try OpinionRow(row, radarID: radarID),
                number: try row[OpinionRow.columnCount] as Int
            )
        }
        return ShownOpinions(
            rows.map(\.row.opinion),
            cursor: rows.max { $0.number < $1.number }?.row.id
        )
    }

    /// Returns the opinions that have arrived after an opinion, in order; nil if the radar does not
    /// have that opinion, or no longer has it.
    package func opinions(
        of radarID: String,
        arrivedAfter opinionID: String,
        limit: Int
    ) throws -> [OpinionRow]? {
        let known = try session.row(RadarSQL.selectArrival, [opinionID, radarID]).map { row in
            (number: try row[0] as Int, createdAt: try row.instant(1))
        }
        guard let known else { return nil }
        let since = known.createdAt - RadarTables.delayMax
        return try session.rows(
            RadarSQL.selectArrivedOpinions,
            [radarID, since.milliseconds, known.number, limit]
        ) { try OpinionRow($0, radarID: radarID) }
    }
}

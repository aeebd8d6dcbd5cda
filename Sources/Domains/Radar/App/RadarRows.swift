import DomainKit
import Foundation
import Radar

/// Conversions between radars and their stored rows.
extension RadarRow {
    package init(_ radar: RadarState, segments: SegmentTable, nextPollAt: Timestamp) {
        self.init(
            id: radar.id,
            userID: radar.userID,
            topic: radar.topic,
            interpretation: radar.interpretation.json(),
            position: radar.position.rawValue,
            isPublic: radar.isPublic,
            refreshCount: radar.refreshCount,
            segment: radar.segment,
            lastPolledAt: radar.lastPolledAt,
            nextPollAt: nextPollAt,
            createdAt: radar.createdAt,
            updatedAt: radar.updatedAt,
            sources: segments.json(),
            lastPoll: radar.lastPoll?.stored(),
            standing: radar.standing.json()
        )
    }

    /// - Throws: `RadarRowError` for a row that no version of the hub has written.
    package func radar() throws(RadarRowError) -> RadarState {
        guard let position = Stance(rawValue: position),
            let interpretation = Interpretation(json: interpretation),
            let standing = standing(position)
        else { throw RadarRowError(radarID: id) }
        var read: LastPoll?
        if let lastPoll {
            read = LastPoll(stored: lastPoll)
            guard read != nil else { throw RadarRowError(radarID: id) }
        }
        return RadarState(
            id: id,
            userID: userID,
            topic: topic,
            interpretation: interpretation,
            position: position,
            lastPolledAt: lastPolledAt,
            refreshCount: refreshCount,
            lastPoll: read,
            createdAt: createdAt,
            updatedAt: updatedAt,
            isPublic: isPublic,
            segment: segment,
            standing: standing
        )
    }

    /// Nil for bytes that no version of the hub has written.
    private func standing(_ position: Stance) -> PositionStanding? {
        if let standing { return PositionStanding(json: standing) }
        // A row of a version that kept none: its position holds if there was anything to derive it from.
        let isDerived = refreshCount > 0 || position != .neutral
        return PositionStanding(position: isDerived ? position : nil)
    }

    package func segments() throws(RadarRowError) -> SegmentTable {
        guard let table = SegmentTable(json: sources) else { throw RadarRowError(radarID: id) }
        return table
    }
}

/// A radar's row that cannot be read.
package struct RadarRowError: Error, CustomStringConvertible {
    package let radarID: String

    package var description: String { "the stored row of radar \(radarID) cannot be read" }
}

extension OpinionRow {
    package init(_ opinion: Opinion) {
        self.init(
            id: opinion.id,
            radarID: opinion.radarID,
            author: opinion.author,
            model: opinion.model,
            content: opinion.content,
            stance: opinion.stance.value,
            confidence: opinion.confidence,
            reasoning: opinion.reasoning,
            createdAt: opinion.createdAt,
            source: opinion.source,
            provider: opinion.provider,
            pushedBy: opinion.pusher ?? 0,
            promptVersion: opinion.promptVersion,
            segment: opinion.segment
        )
    }

    package var opinion: Opinion {
        let pusher = source == nil && pushedBy > 0 ? pushedBy : nil
        return Opinion(
            id: id,
            radarID: radarID,
            author: author,
            model: model,
            content: content,
            stance: Stance(number: stance),
            confidence: confidence,
            reasoning: reasoning,
            createdAt: createdAt,
            source: source,
            // Rows of former versions have the author.
            provider: source == nil ? Opinion.provider(ofPusher: pusher) : provider,
            pusher: pusher,
            promptVersion: promptVersion,
            segment: segment
        )
    }
}

extension OpinionDayRow {
    package var opinionDay: OpinionDay {
        OpinionDay(
            dayNumber: day,
            segment: segment,
            stance: Stance(number: stance),
            count: count,
            confidenceSum: confidenceSum
        )
    }
}

extension Stance {
    /// The store lets no other number in than −1, 0 and 1.
    package init(number: Int) {
        self = Stance(value: number) ?? .neutral
    }
}

/// An answer of a source, as it is kept for the next question of the same words.
package struct CachedAnswer: Codable, Sendable, Equatable {
    package struct Sample: Codable, Sendable, Equatable {
        package var externalID: String?
        package var author: String
        package var model: String
        package var content: String
        package var stance: String
        package var confidence: Double
        package var reasoning: String?
    }

    /// Empty for an answer without an opinion.
    package var samples: [Sample]
    /// Nil for an answer that could be used, and in those that older versions have stored.
    private var unusable: Bool?

    /// Whether the answer had the requested form.
    package var isUsable: Bool { unusable != true }

    package init(_ samples: [StanceSample], isUsable: Bool = true) {
        unusable = isUsable ? nil : true
        self.samples = samples.map {
            Sample(
                externalID: $0.externalID,
                author: $0.author,
                model: $0.model,
                content: $0.content,
                stance: $0.stance.rawValue,
                confidence: $0.confidence,
                reasoning: $0.reasoning
            )
        }
    }

    /// Nil for bytes that no version of the hub has written.
    package init?(_ bytes: [UInt8]) {
        guard let answer = try? JSONDecoder().decode(CachedAnswer.self, from: Data(bytes)) else {
            return nil
        }
        self = answer
    }

    package var bytes: [UInt8] {
        // No confidence is infinite: encoding cannot fail.
        guard let data = try? JSONEncoder().encode(self) else {
            preconditionFailure("not encodable")
        }
        return Array(data)
    }

    package var values: [StanceSample] {
        samples.compactMap { sample in
            Stance(rawValue: sample.stance).map {
                StanceSample(
                    externalID: sample.externalID,
                    author: sample.author,
                    model: sample.model,
                    content: sample.content,
                    stance: $0,
                    confidence: sample.confidence,
                    reasoning: sample.reasoning
                )
            }
        }
    }
}

import DomainKit
import Radar

/// The changes by new opinions: the series' segment, the position, the trend, and their events.
extension RadarService {
    /// The answer of a source, to be committed with the opinions that are in it.
    package struct SourceAnswer: Sendable {
        package var source: any OpinionSource
        package var samples: [StanceSample]
        /// When the source gave it.
        package var time: Timestamp
        /// Distinguishes it from the source's other answers; nil if its time does.
        package var name: String?
        /// Other rows that are committed with it.
        package var rows: [RadarWrite] = []
        /// Why there is no opinion in it; nil when there is one, or when it was counted before.
        package var noOpinion: NoAnswer?
    }

    /// Adds the answer of a source. An answer that the radar already has changes nothing.
    ///
    /// - Returns: the number of new opinions.
    package func take(_ answer: SourceAnswer, for id: String) async throws -> Int {
        try await execution.run(id) { [self] in
            let (radar, row) = try await load(id)
            var segments = try row.segments()
            var opinions = opinions(of: answer, for: radar)
            let ids = opinions.map(\.value.id)
            let known = try await store.readRadars { try $0.existingOpinions(ids) }
            opinions.removeAll { known.contains($0.value.id) }
            if let reason = answer.noOpinion {
                segments.countNoOpinion(of: answer.source.name, reason: reason.rawValue)
            }
            try await record(opinions, radar, row, segments, with: answer.rows)
            return opinions.count
        }
    }

    /// Takes in an opinion that a back end has pushed.
    ///
    /// - Parameter key: a digest of its API key, 32 bytes.
    package func push(
        _ pushed: PushedOpinion,
        with key: [UInt8],
        to id: String
    ) async throws -> Opinion {
        let pusher = try await pusher(of: key)
        return try await execution.run(id) { [self] in
            let (radar, row) = try await load(id)
            let now = clock.now
            let opinion = pushed.opinion(id: newID(), on: radar, pusher: pusher, createdAt: now)
            try await record([NewOpinion(value: opinion)], radar, row, try row.segments(), with: [])
            return opinion
        }
    }

    /// The number of an API key, stored when it pushes for the first time.
    private func pusher(of key: [UInt8]) async throws -> Int {
        if let known = pushers.withLock({ $0[key] }) { return known }
        let number = try await store.pusher(of: key)
        pushers.withLock { $0[key] = number }
        return number
    }

    /// An opinion that the radar has not had.
    private struct NewOpinion: Sendable {
        var value: Opinion
        /// Nil for one that belongs to no source's series.
        var seriesModel: String?
    }

    private func opinions(of answer: SourceAnswer, for radar: RadarState) -> [NewOpinion] {
        let source = answer.source
        var ids = Set<String>()
        return answer.samples.enumerated().compactMap { index, sample in
            let id = opinionID(of: answer, sample, index: index, radarID: radar.id)
            // A source may name one item twice.
            guard ids.insert(id).inserted else { return nil }
            let opinion = Opinion(
                id: id,
                radarID: radar.id,
                author: sample.author,
                model: sample.model,
                content: sample.content,
                stance: sample.stance,
                confidence: sample.confidence,
                reasoning: sample.reasoning,
                createdAt: answer.time,
                source: source.name,
                provider: source.provider,
                promptVersion: source.promptVersion,
                segment: radar.segment
            )
            return NewOpinion(value: opinion, seriesModel: source.seriesModel(of: sample))
        }
    }

    /// The same for the same answer, so that an answer from the cache does not make a second
    /// opinion. An opinion with a name from its source keeps its id whenever it is answered again.
    private func opinionID(
        of answer: SourceAnswer,
        _ sample: StanceSample,
        index: Int,
        radarID: String
    ) -> String {
        // A named opinion keeps its id when it comes again at another time.
        let name = sample.externalID.map { "id \($0)" } ?? answer.name.map { "\($0) \(index)" }
        let wall = name == nil ? answer.time : Timestamp(milliseconds: 0)
        let place = name ?? "\(answer.time.milliseconds) \(index)"
        let digest = sha256("\(radarID)\n\(answer.source.name)\n\(place)".utf8)
        return uuidVersion7(wall: wall, random: Array(digest.prefix(uuidRandomLength)))
    }

    // MARK: Consequences of opinions

    /// Commits opinions, in the order in which they came, with all that they change. To be called for one
    /// radar at a time.
    private func record(
        _ new: [NewOpinion],
        _ radar: RadarState,
        _ row: RadarRow,
        _ segments: SegmentTable,
        with rows: [RadarWrite]
    ) async throws {
        guard !new.isEmpty else {
            var rows = rows
            if segments.json() != row.sources {
                let update = RadarRow(radar, segments: segments, nextPollAt: row.nextPollAt)
                rows.append(.update(update))
            }
            return rows.isEmpty ? () : try await commit(rows)
        }
        var radar = radar
        var segments = segments
        let new = new.map { item in
            var opinion = item.value
            if let source = opinion.source, let prompt = opinion.promptVersion,
                let model = item.seriesModel
            {
                radar.segment = segments.segment(
                    of: source,
                    model: model,
                    promptVersion: prompt,
                    current: radar.segment
                )
            }
            opinion.segment = radar.segment
            return opinion
        }
        let now = clock.now
        let start = ContinuousClock.now
        let derivation = try await position(of: radar, segments, with: new, now: now)
        let trend = try await trend(of: radar.id, days: TrendSlope.windowDays, with: new, now: now)
        metrics.noteDerivation("radar", .now - start)
        let change = radar.take(derivation, now: now)
        radar.updatedAt = now

        var told = Told(radarID: radar.id)
        for opinion in new {
            told.add(opinionCreatedEvent(opinion, id: newID()), .newOpinion(opinion))
        }
        told.add(change, id: newID(), at: now)
        told.add(trendChangedEvent(trend, id: newID(), time: now), nil)
        let update = RadarRow(radar, segments: segments, nextPollAt: row.nextPollAt)
        try await commit(
            rows + new.map { .opinion(OpinionRow($0)) } + [.update(update)],
            telling: told
        )
    }

    /// The messages of one change, in order: events for all subscribers, messages for the app's
    /// sockets.
    package struct Told: Sendable {
        package let topic: Topic
        package let appTopic: Topic
        package let radarID: String
        package private(set) var events: [Event] = []
        package private(set) var messages: [[UInt8]] = []
        /// Of the last message; nil as long as that of an earlier change holds.
        private var cursor: String?

        package init(radarID: String) {
            self.radarID = radarID
            topic = .radar(radarID)
            appTopic = .radarUpdates(radarID)
        }

        /// - Parameters:
        ///   - update: nil for events that the app does not support.
        ///   - cursor: of the radar, if the update contains it; otherwise it is that of the last
        ///     opinion.
        package mutating func add(
            _ event: Event,
            _ update: RadarUpdate?,
            cursor: String? = nil
        ) {
            events.append(event)
            if case .newOpinion(let opinion) = update { self.cursor = opinion.id }
            if let update {
                messages.append(update.message(radarID: radarID, cursor: cursor ?? self.cursor))
            }
        }

        /// Adds nothing if the position is unchanged.
        package mutating func add(
            _ change: (previous: Stance, derivation: PositionDerivation)?,
            id: String,
            at time: Timestamp
        ) {
            guard let change else { return }
            let event = positionChangedEvent(
                change.derivation,
                previous: change.previous,
                radarID: radarID,
                id: id,
                time: time
            )
            add(event, .positionChange(change.derivation.position))
        }
    }

    // MARK: Derivations

    /// - Parameter new: opinions that are not committed yet, oldest first.
    package func position(
        of radar: RadarState,
        _ segments: SegmentTable,
        with new: [Opinion] = [],
        now: Timestamp
    ) async throws -> PositionDerivation {
        let pushedCount = new.count { $0.source == nil }
        let rows = try await store.readRadars {
            try $0.positionOpinions(
                of: radar.id,
                since: RadarLimits.positionStart(now),
                limit: RadarLimits.positionOpinionsMax - (new.count - pushedCount),
                pushedLimit: RadarLimits.positionPushedMax - pushedCount
            )
        }
        return derivePosition(
            new.reversed() + rows.map(\.opinion),
            previous: radar.previousPosition(now: now),
            now: now,
            trust: trust,
            series: segments.series,
            noOpinions: segments.noOpinions
        )
    }

    /// By the name of the source.
    private var trust: [String: Double] {
        sources.reduce(into: [:]) { $0[$1.source.name] = $1.source.trust }
    }

    package func trend(
        of id: String,
        days: Int,
        with new: [Opinion] = [],
        now: Timestamp
    ) async throws -> Trend {
        let day = Duration.seconds(86_400)
        let from = now.roundedDown(to: day) - day * (days - 1)
        var table = try await store.readRadars { try $0.opinionDays(of: id, from: from) }
            .map(\.opinionDay)
        for opinion in new {
            var row = OpinionDay(
                day: opinion.createdAt.roundedDown(to: day),
                segment: opinion.segment
            )
            row.add(opinion.stance, count: 1, confidenceSum: opinion.confidence)
            table.append(row)
        }
        return Radar.trend(radarID: id, days: days, rows: table, now: now)
    }
}

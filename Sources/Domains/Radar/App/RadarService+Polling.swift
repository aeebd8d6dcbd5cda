import DomainKit
import Radar

/// Where opinions come from: every source is asked, each answer is committed as it comes.
extension RadarService {
    /// The end of a poll.
    package enum PollEnd: Sendable, Equatable {
        case done
        /// No source has answered.
        case failed
        /// No source could be asked; one can be then.
        case later(Timestamp)
        /// The same, because the share of its owner is used up.
        case overShare(until: Timestamp)
        /// There is no such radar.
        case gone
    }

    /// The time after its answers in which an interrupted poll may continue with them.
    private static let brokenOffMax = Duration.seconds(3600)
    /// After a commit that failed.
    private static let storePause = Duration.seconds(60)

    /// Asks all sources about a radar's topic.
    ///
    /// - Throws: `RadarError.notFound`, also when the radar is deleted meanwhile; `StoreError`.
    /// - Parameter isScheduled: answers since the poll was due belong to this poll, which a crash
    ///   may have interrupted. False for a poll that a user has requested.
    package func poll(_ id: String, isScheduled: Bool) async throws -> PollEnd {
        let started = clock.now
        let (radar, row) = try await load(id)
        let aged = started - settings.cacheAge
        let begun = max(row.nextPollAt, started - RadarService.brokenOffMax)
        let since = isScheduled ? min(aged, begun) : aged
        let ends = await askAll(about: radar, since: since)
        if let wait = RadarService.wait(ends.values) { return wait }
        // The hub stops, and sources were not waited for: the next process asks them.
        if Task.isCancelled { return .later(clock.now) }
        let added = ends.values.reduce(0) {
            if case .answered(let count) = $1 { $0 + count } else { $0 }
        }
        let failures = ends.compactMapValues(\.failure)
        let poll = LastPoll(
            startedAt: started,
            isFailed: !ends.isEmpty && failures.count == ends.count,
            failures: failures
        )
        guard directory[id] != nil else { return .gone }
        let interpretation = poll.isFailed ? nil : await betterInterpretation(of: radar)
        do {
            try await finishPoll(poll, of: id, added: added, interpretation)
        } catch RadarError.notFound {
            return .gone
        }
        return poll.isFailed ? .failed : .done
    }

    /// Asks all sources at the same time, in one trace.
    private func askAll(about radar: RadarState, since: Timestamp) async -> [String: AskEnd] {
        guard let client = sources.first?.client else { return [:] }
        return await client.traced {
            await withTaskGroup(
                of: (String, AskEnd).self,
                returning: [String: AskEnd].self
            ) { group in
                for asked in sources {
                    group.addTask {
                        (asked.source.name, await self.ask(asked, about: radar, since: since))
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }
    }

    private enum AskEnd: Sendable {
        case answered(newOpinions: Int)
        case later(Timestamp)
        case overShare(until: Timestamp)
        case failed(SourceFailure)

        /// Nil for an answer, whether it has an opinion or not.
        var failure: SourceFailure? {
            switch self {
            case .answered: nil
            case .later: .later
            case .overShare: .overShare
            case .failed(let failure): failure
            }
        }
    }

    /// When to poll again, if no source could be asked; nil when one was. It is the owner's doing if all sources
    /// have a budget left.
    private static func wait(_ ends: some Collection<AskEnd>) -> PollEnd? {
        var first: Timestamp?
        var isOwners = true
        for end in ends {
            switch end {
            case .later(let time):
                isOwners = false
                first = min(first ?? time, time)
            case .overShare(let time): first = min(first ?? time, time)
            case .answered, .failed: return nil
            }
        }
        return first.map { isOwners ? .overShare(until: $0) : .later($0) }
    }

    private func ask(
        _ asked: AskedSource,
        about radar: RadarState,
        since: Timestamp
    ) async -> AskEnd {
        let source = asked.source
        let key = questionKey(source, "stance", radar.topic)
        do {
            if let answer = localAnswer(source, radar.topic) {
                return .answered(newOpinions: try await take(answer, for: radar.id))
            }
            // Of two radars that ask the same at the same time, the second gets the answer to the first.
            return try await questions.run(key, isCancellable: true) { [self] in
                if let row = try await store.readRadars({ try $0.stanceCache(key) }),
                    row.time >= since,
                    let cached = CachedAnswer(row.answer)
                {
                    let samples = cached.values
                    let answer = SourceAnswer(source: source, samples: samples, time: row.time)
                    let count = try await take(answer, for: radar.id)
                    return cached.isUsable ? .answered(newOpinions: count) : .failed(.unusable)
                }
                return try await askAnew(asked, key, radar)
            }
        } catch RadarError.notFound {
            // The radar was deleted meanwhile: there is nothing to count.
            return .answered(newOpinions: 0)
        } catch {
            // The hub stops.
            if Task.isCancelled { return .later(clock.now) }
            logger.error(
                "radar: answer not committed",
                metadata: [
                    "radar": "\(radar.id)", "source": "\(source.name)", "err": "\(error)",
                ]
            )
            return .later(clock.now + RadarService.storePause)
        }
    }

    /// The answer of a source that needs no request: one for each of its periods.
    private func localAnswer(_ source: any OpinionSource, _ topic: String) -> SourceAnswer? {
        let length = source.localPeriod
        let start = clock.now.roundedDown(to: length)
        let number = Int(start.milliseconds / length.wholeMilliseconds)
        let isDay = length == .seconds(86_400)
        let name = isDay ? "day \(number)" : "period \(length.wholeMilliseconds) \(number)"
        return source.localStances(topic: topic, period: number).map {
            SourceAnswer(source: source, samples: $0, time: clock.now, name: name)
        }
    }

    private func askAnew(
        _ asked: AskedSource,
        _ key: [UInt8],
        _ radar: RadarState
    ) async throws -> AskEnd {
        let source = asked.source
        guard let request = source.stanceRequest(topic: radar.topic) else {
            return .failed(.rejected)
        }
        let reply = await asked.ask(
            request,
            for: radar.userID,
            decode: { source.stances(from: $0) }
        )
        var answer = SourceAnswer(source: source, samples: [], time: clock.now)
        switch reply {
        case .answered(let value, let spending):
            answer.samples = value.samples
            answer.rows.append(.spending(SpendingRow(source: source.name, spending)))
            if value.skippedCount > 0 {
                logger.notice(
                    "radar: items of an answer are no opinions",
                    metadata: [
                        "source": "\(source.name)", "count": .stringConvertible(value.skippedCount),
                    ]
                )
            }
        case .none(let reason, let spending):
            answer.noOpinion = reason
            answer.rows.append(.spending(SpendingRow(source: source.name, spending)))
        case .later(let time): return .later(time)
        case .overShare(let time): return .overShare(until: time)
        case .failed(let failure): return .failed(failure)
        }
        // An answer without an opinion is also cached: the question is not asked again at once.
        let isUsable = answer.noOpinion?.isAnswer ?? true
        let cached = CachedAnswer(answer.samples, isUsable: isUsable).bytes
        answer.rows.append(.cache(StanceCacheRow(key: key, answer: cached, time: answer.time)))
        do {
            let count = try await take(answer, for: radar.id)
            return isUsable ? .answered(newOpinions: count) : .failed(.unusable)
        } catch RadarError.notFound {
            // The radar was deleted meanwhile; the answer is paid for all the same, and the next radar
            // with this topic has it.
            try await commit(answer.rows)
            return .answered(newOpinions: 0)
        }
    }

    /// The key that is equal for equal questions.
    func questionKey(
        _ source: any OpinionSource,
        _ kind: String,
        _ topic: String
    ) -> [UInt8] {
        // None of the parts has a line feed in it: names are checked, topics have no control characters.
        let parts = [kind, source.name, source.model, source.promptVersion, topic]
        return sha256(parts.joined(separator: "\n").utf8)
    }

    // MARK: The end of a poll

    private func finishPoll(
        _ poll: LastPoll,
        of id: String,
        added: Int,
        _ interpretation: Interpretation?
    ) async throws {
        try await execution.run(id) { [self] in
            var (radar, row) = try await load(id)
            let now = clock.now
            let segments = try row.segments()
            // Opinions have grown too old for it meanwhile, even if no other has come.
            let start = ContinuousClock.now
            let derivation = try await position(of: radar, segments, now: now)
            metrics.noteDerivation("radar", .now - start)
            let change = radar.take(derivation, now: now)
            radar.lastPoll = poll
            if !poll.isFailed {
                radar.lastPolledAt = poll.startedAt
                radar.refreshCount += 1
            }
            radar.updatedAt = now
            let isBetter =
                interpretation != nil
                && radar.interpretation.source == Interpretation.lexicalSource
            if isBetter, let interpretation { radar.interpretation = interpretation }
            let next = polls.withLock { finishPoll(of: id, &$0.schedule) }
            let shown = try await store.readRadars { try $0.shownOpinions(of: id) }
            let update = RadarRow(radar, segments: segments, nextPollAt: next ?? row.nextPollAt)
            var told = Told(radarID: id)
            if isBetter { told.add(interpretationChangedEvent(radar, id: newID(), time: now), nil) }
            told.add(change, id: newID(), at: now)
            if poll.isFailed {
                told.add(radarRefreshFailedEvent(poll, radarID: id, id: newID(), time: now), nil)
            } else {
                told.add(
                    radarRefreshedEvent(radar, opinionsAdded: added, id: newID(), time: now),
                    .refresh(radar, shown.opinions),
                    cursor: shown.cursor
                )
            }
            try await commit([.update(update)], telling: told)
        }
    }
}

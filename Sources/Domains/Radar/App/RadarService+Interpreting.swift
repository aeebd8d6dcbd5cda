import DomainKit
import Radar

/// Interpretations of topics: all sources are asked in parallel, and the first answer counts.
extension RadarService {
    /// The time for which the interpretation of a source is used for all radars with its topic.
    private static let interpretationAge = Duration.seconds(7 * 86_400)

    /// An interpretation, and whether a better one may come.
    package struct Interpreted: Sendable, Equatable {
        package var interpretation: Interpretation
        /// Sources have not answered yet; radars of the user with this topic will get the
        /// interpretation of a source.
        package var isPending: Bool
    }

    /// Returns the first interpretation of a source that comes within `settings.answerWithin`;
    /// otherwise one made only of the topic's words.
    ///
    /// - Parameters:
    ///   - language: of the topic, for an interpretation of its words; nil to detect it.
    ///   - user: the user whose share of the sources' budgets pays for it.
    package func interpret(
        _ topic: String,
        in language: LexicalLanguage? = nil,
        for user: String
    ) async -> Interpreted {
        if let cached = await cachedInterpretation(of: topic) {
            return Interpreted(interpretation: cached, isPending: false)
        }
        let lexical = lexicalInterpretation(of: topic, in: language)
        guard let question = question(about: topic, for: user, follows: true) else {
            return Interpreted(interpretation: lexical, isPending: false)
        }
        let answer = await question.first.value(until: deadline)
        return Interpreted(
            interpretation: answer.flatMap { $0 } ?? lexical,
            isPending: answer == nil
        )
    }

    /// Returns when a user's request must be answered with the data so far.
    var deadline: @Sendable () async throws -> Void {
        { [timer, length = settings.answerWithin] in try await timer(length) }
    }

    /// For a radar whose interpretation is made only of its topic's words. Waits for the sources.
    func betterInterpretation(of radar: RadarState) async -> Interpretation? {
        guard radar.interpretation.source == Interpretation.lexicalSource else { return nil }
        if let cached = await cachedInterpretation(of: radar.topic) { return cached }
        return await question(about: radar.topic, for: radar.userID, follows: false)?.first.value
    }

    package func cachedInterpretation(of topic: String) async -> Interpretation? {
        let since = clock.now - RadarService.interpretationAge
        for asked in sources {
            let key = questionKey(asked.source, "interpretation", topic)
            if let row = try? await store.readRadars({ try $0.stanceCache(key) }),
                row.time >= since,
                let value = Interpretation(json: row.answer)
            {
                return value
            }
        }
        return nil
    }

    /// Cancels the questions under way and waits for their ends. No other begins.
    func endInterpretations() async {
        let questions = interpretations.withLock { state in
            state.stop()
            return state.questions
        }
        for question in questions { question.whole.cancel() }
        for question in questions { await question.whole.value }
    }

    // MARK: Questions

    /// Nil if too many are under way.
    private func question(
        about topic: String,
        for user: String,
        follows: Bool
    ) -> RadarInterpretations.Question? {
        guard !sources.isEmpty else { return nil }
        return interpretations.withLock { state in
            state.join(Array(topic.utf8), by: Array(user.utf8), follows: follows) {
                startQuestion(about: topic, for: user)
            }
        }
    }

    /// Does not wait for anything: called with `interpretations` held.
    private func startQuestion(
        about topic: String,
        for user: String
    ) -> RadarInterpretations.Question {
        let (answers, answer) = AsyncStream<Interpretation>.makeStream()
        let first = Task { await answers.first { _ in true } }
        let whole = Task { [self] in
            await withTaskGroup(of: Interpretation?.self) { group in
                for asked in sources {
                    group.addTask { await self.interpretation(of: topic, from: asked, for: user) }
                }
                var isFirst = true
                for await case let interpretation? in group where isFirst {
                    isFirst = false
                    answer.yield(interpretation)
                    await spread(interpretation, of: topic)
                }
            }
            answer.finish()
            interpretations.withLock { $0.end(Array(topic.utf8)) }
        }
        return RadarInterpretations.Question(first: first, whole: whole)
    }

    /// Asks one source; nil if it has no interpretation or cannot be asked.
    private func interpretation(
        of topic: String,
        from asked: AskedSource,
        for user: String
    ) async -> Interpretation? {
        let source = asked.source
        let key = questionKey(source, "interpretation", topic)
        guard let request = source.interpretationRequest(topic: topic),
            await !hasNoInterpretation(key)
        else { return nil }
        let reply = await asked.ask(
            request,
            for: user,
            decode: { source.interpretation(from: $0) }
        )
        let value: Interpretation?
        let paid: SpendingChange
        switch reply {
        case .answered(let interpretation, let spending):
            (value, paid) = (interpretation, spending)
        case .none(_, let spending): (value, paid) = (nil, spending)
        case .later, .overShare, .failed: return nil
        }
        let answer = value?.json() ?? RadarService.noInterpretation
        let rows: [RadarWrite] = [
            .spending(SpendingRow(source: source.name, paid)),
            .cache(StanceCacheRow(key: key, answer: answer, time: clock.now)),
        ]
        do { try await commit(rows) } catch {
            logger.error(
                "radar: answer not committed",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
        }
        return value
    }

    /// The cached bytes of an answer without an interpretation.
    private static let noInterpretation: [UInt8] = []

    /// Whether a source had no interpretation: it is not asked again at once, as that costs as
    /// much.
    private func hasNoInterpretation(_ key: [UInt8]) async -> Bool {
        guard let row = try? await store.readRadars({ try $0.stanceCache(key) }) else {
            return false
        }
        return row.answer == RadarService.noInterpretation
            && row.time >= clock.now - settings.cacheAge
    }

    // MARK: Radars that wait for an interpretation

    /// Gives the interpretation to radars with the topic, of the users who asked for it.
    private func spread(_ interpretation: Interpretation, of topic: String) async {
        let users = interpretations.withLock { $0.found(Array(topic.utf8)) }
        for user in users {
            let name = String(decoding: user, as: UTF8.self)
            do {
                for id in try await store.readRadars({ try $0.radarIDs(of: name, topic: topic) }) {
                    try await set(interpretation, of: id)
                }
            } catch {
                logger.error(
                    "radar: answer not committed",
                    metadata: ["err": "\(error)"],
                    source: LogSource.peer
                )
            }
        }
    }

    /// Changes nothing in a radar that has an interpretation of a source, or that is gone.
    private func set(_ interpretation: Interpretation, of id: String) async throws {
        try await execution.run(id) { [self] in
            guard let row = try await store.readRadars({ try $0.radar(id) }) else { return }
            var radar = try row.radar()
            guard radar.interpretation.source == Interpretation.lexicalSource else { return }
            radar.interpretation = interpretation
            radar.updatedAt = clock.now
            let segments = try row.segments()
            let shown = try await store.readRadars { try $0.shownOpinions(of: id) }
            var told = Told(radarID: id)
            told.add(
                interpretationChangedEvent(radar, id: newID(), time: radar.updatedAt),
                .refresh(radar, shown.opinions),
                cursor: shown.cursor
            )
            let update = RadarRow(radar, segments: segments, nextPollAt: row.nextPollAt)
            try await commit([.update(update)], telling: told)
        }
    }
}

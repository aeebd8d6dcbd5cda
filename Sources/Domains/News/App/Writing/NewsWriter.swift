import DomainKit
import News

/// Has a model write summaries, explanations and interpretations, each once, and stores them.
///
/// **For callers.** Without a text, use the fallback: the publisher's own text,
/// `Explanation(of:for:)`, `TextInterpretation`. A text is missing while it is being written, after
/// the day's budget is used up, when the provider fails, and if the model wrote none that may be
/// shown. Methods with the label `known` look a text up in the caller's read; `request` has missing
/// ones written in the background, without waiting. The others wait for the model. They log errors
/// and do not throw.
///
/// **Cost.** All callers that need one text share one request. Its result is stored with its cost,
/// even if there is no text, so that a restart neither repeats a request nor loses its cost.
///
/// Read on in `NewsWriter+Texts.swift`.
package final class NewsWriter: Sendable {
    /// The name of the writer in logs, metrics and the table of spending.
    package static let sourceName = "writer"
    /// The most texts that are being written or wait for a request, for callers and in the
    /// background.
    static let underWayMax = 64

    private let model: any ToolModel
    private let runner: SourceRunner
    private let store: HubStore
    private let clock: HubClock
    private let logger: Logger
    private let extractor = TickerExtractor()
    private let metrics: WriterMetrics
    private let state: Locked<State>
    private let jobs: AsyncStream<WriterJob>
    private let queue: AsyncStream<WriterJob>.Continuation

    private struct State {
        var backlog = TextBacklog()
        var underWay: [[UInt8]: Task<StoredText?, Never>] = [:]
        var isEnded = false
    }

    /// - Throws: `StoreError` when the day's spending cannot be read.
    package init(
        _ configured: ConfiguredWriter,
        client: ProviderClient,
        store: HubStore,
        clock: HubClock,
        board: HealthBoard,
        metrics: DomainMetrics = DomainMetrics(),
        logger: Logger
    ) async throws {
        let state = Locked(State())
        self.state = state
        self.metrics = WriterMetrics(metrics.registry) {
            state.withLock { $0.backlog.waiting.count }
        }
        self.store = store
        self.clock = clock
        self.logger = logger
        model = configured.model
        (jobs, queue) = AsyncStream.makeStream()
        runner = try await SourceRunner(
            source: NewsWriter.sourceName,
            domain: NewsSection.key,
            policy: configured.policy,
            timeout: configured.settings.timeout,
            client: client,
            spending: WriterSpending(store: store),
            clock: clock,
            board: board,
            logger: logger
        )
    }

    // MARK: Background

    /// Writes the requested texts until it is cancelled; then it also cancels those that callers
    /// wait for.
    package func run() async {
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                var freeCount = ConfiguredWriter.backgroundConcurrencyMax
                for await job in jobs {
                    if freeCount == 0 {
                        await group.next()
                        freeCount += 1
                    }
                    freeCount -= 1
                    group.addTask { [self] in await perform(job) }
                }
            }
        } onCancel: {
            _ = end()
        }
        for writing in end() { _ = await writing.value }
    }

    /// Cancels the texts that are being written, and returns their tasks.
    private func end() -> [Task<StoredText?, Never>] {
        let underWay = state.withLock { state in
            state.isEnded = true
            return Array(state.underWay.values)
        }
        for writing in underWay { writing.cancel() }
        return underWay
    }

    /// Has a text written in the background, if `TextBacklog` admits it.
    func request(_ job: WriterJob) {
        let now = clock.now
        let key = job.key
        if state.withLock({ !$0.isEnded && $0.backlog.admit(key, now: now) }) { queue.yield(job) }
    }

    private func perform(_ job: WriterJob) async {
        switch job {
        case .summary(_, let id):
            if let article = await article(id) { _ = await summary(of: article) }
        case .explanation(let story, let ticker, let user):
            _ = await explanation(of: story, for: ticker, paidBy: user)
        }
        state.withLock { $0.backlog.finish(job.key) }
    }

    private func article(_ id: Int) async -> Article? {
        do {
            return try await store.readNews { try $0.article(id) }
        } catch {
            logger.warning(
                "news: article not read",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            return nil
        }
    }

    // MARK: Texts

    /// The stored text of a key in a read of the caller; nil if there is none.
    func known(_ key: [UInt8], _ tables: NewsTables) -> StoredText? {
        do {
            return try tables.text(key)
        } catch {
            logger.warning(
                "news: written text not read",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            return nil
        }
    }

    /// The text of a task: the stored one, or else one that the model writes, once for all callers.
    ///
    /// It is written and stored even if the caller is cancelled.
    ///
    /// - Parameter user: the user whose share of the day's budget pays for it; nil for a text for
    ///   all.
    /// - Returns: nil without an answer of the model, and for a subject that is no longer stored. A
    ///   text without `json` means that the model's answer cannot be shown.
    func text(of task: some WritingTask, for user: [UInt8]? = nil) async -> StoredText? {
        let key = task.key
        let writing = state.withLock { state -> Task<StoredText?, Never>? in
            if let writing = state.underWay[key] { return writing }
            guard !state.isEnded, state.underWay.count < NewsWriter.underWayMax else { return nil }
            let writing = Task { [self] in
                let text = await written(task, key, user)
                self.state.withLock { $0.underWay[key] = nil }
                return text
            }
            state.underWay[key] = writing
            return writing
        }
        return await writing?.value
    }

    private func written(
        _ task: some WritingTask,
        _ key: [UInt8],
        _ user: [UInt8]?
    ) async -> StoredText? {
        let now = clock.now
        do {
            let (stored, mayWrite) = try await store.readNews { tables in
                (try tables.text(key), try tables.mayRewrite(task.subject, now: now))
            }
            // Keeps lists without the text from requesting it again at once.
            if stored.map({ $0.json == nil }) ?? !mayWrite { rest(key) }
            if let stored { return stored }
            guard mayWrite else { return nil }
        } catch {
            logger.warning(
                "news: written text not read",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            return nil
        }
        guard !state.withLock({ $0.backlog.isResting(key, now: clock.now) }) else { return nil }
        return await ask(task, key, user)
    }

    private func ask<Task: WritingTask>(
        _ task: Task,
        _ key: [UInt8],
        _ user: [UInt8]?
    ) async -> StoredText? {
        let prompt = task.prompt
        let reply = await runner.ask(
            model.request(prompt),
            tokensMax: prompt.tokensMax,
            for: user
        ) { [model, extractor] in task.answer($0, from: model, extractor: extractor) }
        metrics.note(WriterCounts.Result(reply), of: Task.kind)
        switch reply {
        case .answered(.written(let text, let model), let cost):
            let stored = StoredText(json: Task.json(text), model: model, writtenAt: clock.now)
            return await keep(stored, key, task.subject, cost)
        case .answered(.dropped(let fault), let cost):
            return await keepNone(key, task.subject, cost, prompt.version, fault.rawValue)
        case .none(let reason, let cost):
            return await keepNone(key, task.subject, cost, prompt.version, reason.rawValue)
        case .later(let time):
            // Not for an interpretation: the budget may have room for the texts of the backlog.
            if Task.kind != .interpretation { state.withLock { $0.backlog.pause(until: time) } }
        case .overShare: break
        case .failed: rest(key)
        }
        return nil
    }

    private func rest(_ key: [UInt8]) {
        state.withLock { $0.backlog.rest(key, now: clock.now) }
    }

    private func keepNone(
        _ key: [UInt8],
        _ subject: WritingSubject,
        _ cost: SpendingChange,
        _ version: String,
        _ reason: String
    ) async -> StoredText? {
        logger.info(
            "news: no text of the model",
            metadata: ["prompt": "\(version)", "subject": "\(subject)", "reason": "\(reason)"],
            source: LogSource.peer
        )
        return await keep(StoredText(json: nil, writtenAt: clock.now), key, subject, cost)
    }

    private func keep(
        _ text: StoredText,
        _ key: [UInt8],
        _ subject: WritingSubject,
        _ cost: SpendingChange
    ) async -> StoredText? {
        let length = Change.rowBytes + (text.json?.count ?? 0)
        do {
            let isKept = try await store.commitNews(length: length) { tables in
                try tables.add(cost, of: NewsWriter.sourceName)
                return (Change(), try tables.put(text, key: key, of: subject))
            }
            return isKept ? text : nil
        } catch {
            logger.warning(
                "news: written text not stored",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            return nil
        }
    }
}

/// A text to write in the background.
enum WriterJob: Sendable {
    /// The article is read when its turn comes, so that the queue does not hold its texts.
    case summary(key: [UInt8], articleID: Int)
    /// The user who pays if no other one has asked for it before.
    case explanation(ExplainedStory, Ticker, NewsUserID?)

    var key: [UInt8] {
        switch self {
        case .summary(let key, _): key
        case .explanation(let story, let ticker, _): ExplanationTask(story, for: ticker).key
        }
    }
}

extension WriterCounts.Result {
    fileprivate init<Text>(_ reply: SourceRunner.Reply<Writing<Text>>) {
        self =
            switch reply {
            case .answered(.written, _): .written
            case .answered(.dropped, _): .dropped
            case .none: .none
            case .later, .overShare: .later
            case .failed: .failed
            }
    }
}

import Service

/// Asks the other nodes of a cluster about their connections, and whether they have read the endpoints
/// of webhooks; and answers their questions.
///
/// A question is a note in the log, and so is each answer. `Survey` decides when the answers are
/// complete. A node that is cut off gets no answers, and asks nothing.
package final class ClusterSurveys: Sendable {
    private enum Event: Sendable {
        case begun([OtherNode])
        case living(Set<String>)
        case part([UInt8])
        case failed(String)
    }

    private struct Question: Sendable {
        var asker: String
        var number: UInt64
        var body: [UInt8]
    }

    private struct State {
        var newest: UInt64 = 0
        /// Events that the surveys of this node have not taken yet.
        var events: [UInt64: (alarm: Alarm, waiting: [Event])] = [:]
        /// Those of other nodes.
        var questions: [Question] = []
        var incomplete: UInt64 = 0
    }

    /// The surveys of this node at a time: each can hold an answer of every other node.
    private static let surveysMax = 4
    private static let surveysWaitingMax = 64
    /// The questions of other nodes that wait for their turn. Further ones are not answered.
    private static let questionsMax = 64
    /// The interval at which a survey looks which nodes live.
    private static let checking = Duration.milliseconds(500)
    private static let idle = Duration.seconds(60)

    private let store: HubStore
    private let process: String
    private let node: String
    private let logger: Logger
    private let places = FairPlaces<String>(surveysMax, waitingMax: surveysWaitingMax)
    private let alarm = Alarm()
    private let state = Locked(State())

    /// Returns nil without a cluster.
    package init?(_ store: HubStore, node: String, logger: Logger) {
        guard let process = store.process else { return nil }
        self.store = store
        self.process = process
        self.node = node
        self.logger = logger
    }

    /// The number of surveys without the whole answers of all living nodes.
    package var incompleteCount: UInt64 { state.withLock { $0.incomplete } }

    /// Takes a note of the log. Returns false for one about something else.
    func take(_ note: ClusterNote) -> Bool {
        guard let address = SurveyAddress(note.kind) else { return false }
        switch address.kind {
        case .question:
            guard address.asker != process else { return true }
            let question = Question(
                asker: address.asker,
                number: address.number,
                body: note.body
            )
            state.withLock {
                if $0.questions.count < Self.questionsMax { $0.questions.append(question) }
            }
            alarm.ring()
        case .answer:
            if address.asker == process { post(.part(note.body), to: address.number) }
        }
        return true
    }

    private func post(_ event: Event, to number: UInt64) {
        // A survey that is over has no entry.
        let alarm = state.withLock { state in
            state.events[number]?.waiting.append(event)
            return state.events[number]?.alarm
        }
        alarm?.ring()
    }

    // MARK: Ask

    /// Returns the answers when every living node has answered, or after `cluster.stale_after`.
    ///
    /// - Returns: nil if too many surveys are waiting.
    package func ask(_ question: SurveyQuestion) async -> SurveyOutcome? {
        let outcome = try? await places.with("") { [self] in
            // Nothing is sent from a node that is cut off, so nothing piles up.
            let isCutOff = store.staleness != nil
            return isCutOff ? SurveyOutcome(isAsked: false) : await survey(question)
        }
        if let outcome, !outcome.isComplete { report(outcome) }
        return outcome
    }

    private func report(_ outcome: SurveyOutcome) {
        state.withLock { $0.incomplete += 1 }
        logger.warning(
            "answers of other nodes are missing",
            metadata: [
                "asked": "\(outcome.isAsked)",
                "unanswered": "\(outcome.unanswered.joined(separator: " "))",
                "cut": "\(outcome.cut.joined(separator: " "))",
            ],
            source: LogSource.peer
        )
    }

    private func survey(_ question: SurveyQuestion) async -> SurveyOutcome {
        var survey = Survey(deadline: .now + (store.patience ?? .zero))
        let alarm = Alarm()
        let number = state.withLock { state in
            state.newest += 1
            state.events[state.newest] = (alarm, [])
            return state.newest
        }
        // In a task of its own, because the database may not answer.
        let asking = Task { await send(question, number) }
        while !survey.isOver(at: .now), !Task.isCancelled {
            let deadline = survey.deadline
            await alarm.wait { try await Task.sleep(until: deadline, clock: .continuous) }
            let events = state.withLock { state in
                defer { state.events[number]?.waiting = [] }
                return state.events[number]?.waiting ?? []
            }
            for event in events { take(event, &survey) }
        }
        asking.cancel()
        state.withLock { $0.events[number] = nil }
        return survey.outcome
    }

    private func take(_ event: Event, _ survey: inout Survey) {
        switch event {
        case .begun(let others): survey.begin(others)
        case .living(let processes): survey.note(living: processes)
        case .failed(let reason):
            logger.debug("question not sent to the other nodes", metadata: ["err": "\(reason)"])
            survey.fail()
        case .part(let body):
            do {
                survey.take(try SurveyPart(body))
            } catch {
                logger.error("answer of another node cannot be read", metadata: ["err": "\(error)"])
            }
        }
    }

    /// Sends the question, and reports which nodes live until the task is cancelled.
    private func send(_ question: SurveyQuestion, _ number: UInt64) async {
        do {
            // Before the question: a node that begins later does not receive it.
            let others = try await store.otherNodes()
            post(.begun(others), to: number)
            guard others.contains(where: \.isLiving) else { return }
            let address = SurveyAddress(.question, asker: process, number: number)
            let asked = AskedQuestion(question: question, time: HubClock.wall)
            try await store.tell(try address.note(asked))
        } catch {
            return post(.failed("\(error)"), to: number)
        }
        while (try? await Task.sleep(for: Self.checking)) != nil {
            guard let others = try? await store.otherNodes() else { continue }
            post(.living(Set(others.filter(\.isLiving).map(\.process))), to: number)
        }
    }

    // MARK: Answer

    /// Answers the questions of the other nodes, one after the other, until the task is cancelled.
    package func run(_ answer: (SurveyQuestion) async throws -> SurveyAnswer) async {
        while !Task.isCancelled {
            let question = state.withLock { state in
                state.questions.isEmpty ? nil : state.questions.removeFirst()
            }
            guard let question else {
                await alarm.wait { try await Task.sleep(for: Self.idle) }
                continue
            }
            do {
                let asked = try AskedQuestion(question.body)
                guard !asked.isTooOld(at: HubClock.wall) else { continue }
                try await send(try await answer(asked.question), to: question)
            } catch {
                // The asker waits for its time, and reports that this node has not answered.
                logger.warning(
                    "question of another node not answered",
                    metadata: ["err": "\(error)"],
                    source: LogSource.peer
                )
            }
        }
    }

    private func send(_ answer: SurveyAnswer, to question: Question) async throws {
        let address = SurveyAddress(.answer, asker: question.asker, number: question.number)
        let (parts, isCut) = answer.parts(
            bytesMax: SurveyPart.bytesMax,
            partsMax: SurveyPart.countMax
        )
        for (index, part) in parts.enumerated() {
            let part = SurveyPart(
                process: process,
                node: node,
                index: index,
                isLast: index == parts.count - 1,
                isCut: isCut,
                answer: part
            )
            try await store.tell(try address.note(part))
        }
    }
}

extension ClusterSurveys {
    /// Returns those of the topics that no subscriber of another node uses.
    ///
    /// - Returns: nil if it is not known of every node, including those that are cut off but can
    ///   return.
    package func unused(_ topics: [Topic]) async -> [Topic]? {
        guard !topics.isEmpty else { return [] }
        guard let outcome = await ask(.used(topics)), outcome.isComplete, outcome.gone.isEmpty
        else { return nil }
        var used: Set<Topic> = []
        for case .used(let topics) in outcome.answers { used.formUnion(topics) }
        return topics.filter { !used.contains($0) }
    }
}

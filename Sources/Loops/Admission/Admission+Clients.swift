import ClientWire
import Core
import Service

/// The rights of clients: to topics, by their tokens, by the answers of the application, and by the
/// rules of namespaces and domains.
extension Admission {
    /// The claims of a connect command: those of its token, or of the application. Nil for none, and for an
    /// invalid token.
    package mutating func grantedClaims(of request: ConnectRequest) -> ConnectionClaims? {
        if !request.token.isEmpty { return try? verified(request.token) }
        guard case .success(.connect(let answer)) = grants.answer else { return nil }
        return ConnectionClaims(answer)
    }

    /// Whether a client has a right to a subscription that the namespace does not give it: by a token, by the
    /// application, or by a capability.
    package mutating func isGranted(
        _ request: SubscribeRequest,
        _ session: ClientSession
    ) -> Bool {
        if case .success(.subscribe) = grants.answer { return true }
        if session.hooked?.subscriptions[request.topic] != nil
            || isCapable(of: .subscribe, in: request.topic, session)
        {
            return true
        }
        return !request.token.isEmpty
            && (try? verifiedSubscription(request.token, request.topic, session)) != nil
    }

    package mutating func decide(
        _ request: SubscribeRequest,
        _ session: ClientSession
    ) -> AccessDecision {
        let isGranted = isGranted(request, session)
        return rules.subscribe(to: request.topic, by: session.identity, isGranted: isGranted)
    }

    package mutating func maySubscribe(
        _ request: SubscribeRequest,
        _ session: ClientSession
    ) -> Bool {
        decide(request, session) == .allowed
    }

    /// The topics that a connect command subscribes to.
    package mutating func grantedTopics(of request: ConnectRequest) -> [Topic] {
        guard let claims = grantedClaims(of: request) else { return [] }
        let identity = Identity(claims)
        return claims.subscriptions.keys.filter {
            rules.subscribe(to: $0, by: identity, isGranted: true) == .allowed
        }
    }

    package func mayRead(_ topic: Topic, _ session: ClientSession) -> Bool {
        session.subscriptions[topic] != nil
            || rules.subscribe(to: topic, by: session.identity, isGranted: false) == .allowed
    }

    package func may(_ action: ClientAction, _ topic: Topic, _ session: ClientSession) -> Bool {
        isCapable(of: action.right, in: topic, session)
            || decision(action, on: topic, session) == .allowed
    }

    private func decision(
        _ action: ClientAction,
        on topic: Topic,
        _ session: ClientSession
    ) -> AccessDecision {
        rules.decide(
            action,
            on: topic,
            by: session.identity,
            isSubscribed: session.subscriptions[topic] != nil
        )
    }

    package func decide(
        _ action: ClientAction,
        on topic: Topic,
        _ session: ClientSession
    ) -> Result<Void, ProtocolError> {
        if isCapable(of: action.right, in: topic, session) { return .success(()) }
        let decision = decision(action, on: topic, session)
        return refusal(decision, RefusalAdvice.Action(action), on: topic, session)
            .map { .failure($0) } ?? .success(())
    }

    /// Whether the client may see the presence of a topic.
    package func presence(
        of topic: Topic,
        _ session: ClientSession
    ) -> Result<Void, ProtocolError> {
        guard let features = rules.features(of: topic) else {
            return .failure(refusalOfMissing(topic, .presence, session))
        }
        guard features.presence else { return .failure(.notAvailable) }
        return decide(.presence, on: topic, session)
    }

    /// Whether the application has given a client a right in a topic. Nothing gives it one in a topic of a
    /// domain, whose rules decide by themselves.
    package func isCapable(
        of right: HookCapability.Right,
        in topic: Topic,
        _ session: ClientSession
    ) -> Bool {
        session.hooked?.allows(right, topic) == true && canBeCapable(of: topic)
    }

    func canBeCapable(of topic: Topic) -> Bool {
        rules.features(of: topic) != nil && !rules.isOfDomain(topic) && !topic.isForAlerts
    }

    // MARK: Answers of the application

    /// The answer about a client that connects; nil if the application was not asked.
    package var connectAnswer: HookConnect? {
        guard case .success(.connect(let answer)) = grants.answer else { return nil }
        return answer
    }

    /// The answer about a subscription; nil if the application was not asked.
    package var subscribeAnswer: HookSubscription? {
        guard case .success(.subscribe(let answer)) = grants.answer else { return nil }
        return answer
    }

    /// A publication with the changes of the application; nil if it had to be asked and was not.
    package func decided(
        _ publication: ClientPublication,
        _ features: NamespaceRules.Features?
    ) -> ClientPublication? {
        guard case .success(.publish(let answer)) = grants.answer else {
            return features?.hooks.publish == nil ? publication : nil
        }
        var publication = publication
        if let data = answer.data { publication.data = data }
        if answer.skipsHistory { publication.keepsHistory = false }
        if answer.allowsDelta { publication.allowsDelta = true }
        publication.tags = answer.tags
        publication.idempotencyKey = answer.idempotencyKey
        publication.version = answer.version.map {
            EventVersion(number: $0, epoch: answer.versionEpoch)
        }
        return publication
    }

    // MARK: Refused topics

    /// Returns the error for a decision; nil if it is `allowed`. The log names the configuration key to set, and
    /// in development mode the client receives the same sentence.
    package func refusal(
        _ decision: AccessDecision,
        _ action: RefusalAdvice.Action,
        on topic: Topic,
        _ session: ClientSession
    ) -> ProtocolError? {
        guard
            let advice = advise(
                decision,
                action,
                on: topic,
                user: session.identity.user,
                remote: session.address
            )
        else { return nil }
        let error: ProtocolError =
            switch decision {
            case .unknown: .unknownChannel
            case .undecided: .internalError
            case .allowed, .denied, .needsToken: .permissionDenied
            }
        return settings.isDevelopment ? error.explained(advice) : error
    }

    /// Returns the error for a topic that does not exist, as far as the rules can decide.
    package func refusalOfMissing(
        _ topic: Topic,
        _ action: RefusalAdvice.Action,
        _ session: ClientSession
    ) -> ProtocolError {
        let canDecide = rules.canDecide(about: topic, session.identity)
        return refusal(canDecide ? .unknown : .undecided, action, on: topic, session)
            ?? .unknownChannel
    }

    /// Logs which key to set, and returns the sentence; nil if the decision is `allowed`.
    @discardableResult
    package func advise(
        _ decision: AccessDecision,
        _ action: RefusalAdvice.Action,
        on topic: Topic,
        user: String,
        remote: String
    ) -> String? {
        let advice = RefusalAdvice.sentence(
            decision,
            action,
            on: topic,
            isConfigured: rules.features(ofNamespace: topic) != nil
        )
        guard let advice else {
            if action == .subscribe { notePattern(topic, remote: remote) }
            return nil
        }
        context.logger.notice(
            "topic refused",
            metadata: [
                "topic": "\(topic)", "action": "\(action.rawValue)", "user": "\(user)",
                "remote": "\(remote)", "advice": "\(advice)",
            ],
            source: LogSource.peer
        )
        return advice
    }

    /// Logs in development mode that a subscribed topic is not the pattern it looks like.
    private func notePattern(_ topic: Topic, remote: String) {
        guard settings.isDevelopment, topic.name.utf8.contains(UInt8(ascii: "*")) else { return }
        context.logger.notice(
            "topic is not a pattern",
            metadata: [
                "topic": "\(topic)", "remote": "\(remote)",
                "advice":
                    "* is an ordinary character in a topic: subscribe to each topic by its name",
            ],
            source: LogSource.peer
        )
    }
}

extension Identity {
    /// The user that a token names; without a token, an anonymous user.
    package init(_ claims: ConnectionClaims?) {
        self.init(user: claims?.user ?? "", groups: claims?.groups ?? [])
    }
}

extension ClientAction {
    /// The capability that allows it.
    package var right: HookCapability.Right {
        switch self {
        case .publish: .publish
        case .presence: .presence
        case .history: .history
        }
    }
}

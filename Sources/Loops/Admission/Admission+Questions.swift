import ClientWire
import Core
import Service
import Wire

/// Questions to the application: which hook decides about a command or a request, and what it is asked.
extension Admission {
    /// The question about a command, and its hook; nil if the hub decides by itself.
    package mutating func question(
        about action: SessionAction,
        _ session: ClientSession
    ) -> (hook: String, HookQuestion.Subject)? {
        switch action {
        case .connect(_, let request):
            guard request.token.isEmpty else { return nil }
            let connection = HookQuestion.Connection(
                name: request.name,
                version: request.version,
                data: request.data,
                topics: request.subscriptions.keys.sorted { $0.name < $1.name }
            )
            return settings.hooks.connect.map { ($0, .connect(connection)) }
        case .subscribe(let request):
            return question(about: request, session)
        case .publish(let request):
            guard let hook = rules.features(of: request.topic)?.hooks.publish,
                may(.publish, request.topic, session)
            else { return nil }
            return (hook, .publish(request.topic, data: request.data))
        case .rpc(let request):
            return settings.hooks.hook(of: request.method).map {
                ($0, .rpc(method: request.method, data: request.data))
            }
        case .unsubscribe, .presence, .presenceStats, .history, .send, .refresh, .subRefresh,
            .connectionExpired, .subscriptionExpired, .reply, .tooManySubscriptions, .ping,
            .disconnect:
            return nil
        }
    }

    private mutating func question(
        about request: SubscribeRequest,
        _ session: ClientSession
    ) -> (hook: String, HookQuestion.Subject)? {
        let topic = request.topic
        guard let hook = rules.features(of: topic)?.hooks.subscribe,
            session.subscriptions[topic] == nil, !isGranted(request, session)
        else { return nil }
        switch rules.subscribeWithoutHook(to: topic, by: session.identity, isGranted: false) {
        case .allowed, .needsToken: break
        case .denied, .unknown, .undecided: return nil
        }
        return (hook, .subscribe(topic, token: request.token, data: request.data))
    }

    /// In bytes.
    private static let recordedAnswerMax = 200

    /// The answer by which the application refused a topic, for the record.
    func refusal(by answer: String, of topic: Topic) -> ExplainRecord.HookRefusal? {
        rules.features(of: topic)?.hooks.subscribe.map { hook in
            let bytes = answer.utf8.prefix(Self.recordedAnswerMax)
            return .init(hook: hook, answer: String(decoding: bytes, as: UTF8.self))
        }
    }

    // MARK: Readers of streams

    /// The questions about the request of a stream that the application has not answered: who the reader is, then
    /// about its topics, until one is refused.
    package func questions(
        about topics: [Topic],
        _ credentials: ReaderCredentials
    ) -> [(topic: Topic?, hook: String, HookQuestion.Subject)] {
        switch credentials {
        case .key: return []
        case .none:
            guard let hook = settings.hooks.connect else { break }
            return [(nil, hook, .connect(HookQuestion.Connection(topics: topics)))]
        case .token, .application: break
        }
        guard grants.stream?.isRefused != true else { return [] }
        return topics.compactMap { topic in
            guard let hook = rules.features(of: topic)?.hooks.subscribe,
                grants.stream?.topics[topic] == nil, !isGranted(topic, credentials)
            else { return nil }
            let identity = Identity(credentials.claims)
            switch rules.subscribeWithoutHook(to: topic, by: identity, isGranted: false) {
            case .allowed, .needsToken:
                return (topic, hook, .subscribe(topic, token: "", data: nil))
            case .denied, .unknown, .undecided: return nil
            }
        }
    }

    // MARK: Handshakes

    /// The state of a new client for the application; nil without hooks.
    package func hooked(_ head: HTTPRequestHead) -> HookedClient? {
        guard let hooks = context.shared.hooks else { return nil }
        return HookedClient(headers: forwardedFields(of: head, hooks))
    }

    package func forwardedFields(
        of head: HTTPRequestHead,
        _ hooks: any ClientHooks
    ) -> [HookQuestion.Header] {
        let fields = head.headers.filter { hooks.headers.contains($0.name.lowercased()) }
        return fields.map { HookQuestion.Header($0.name, $0.value) }
    }
}

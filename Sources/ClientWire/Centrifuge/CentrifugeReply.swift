/// The hub's answers to commands, each one message.
enum CentrifugeReply {
    static func ping(_ encoding: ClientEncoding) -> [UInt8] {
        switch encoding {
        case .json: Array("{}".utf8)
        case .protobuf: delimited(WireReply())
        }
    }

    static func error(
        _ commandID: UInt32,
        _ error: ProtocolError,
        _ encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json:
            json(commandID, "error") {
                $0.field("code", error.code)
                $0.field("message", error.message)
                $0.field("temporary", error.isTemporary)
            }
        case .protobuf:
            protobuf(commandID) {
                $0.error.code = error.code
                $0.error.message = error.message
                $0.error.temporary = error.isTemporary
            }
        }
    }

    /// - Parameter pingSeconds: nil when the hub does not send pings as messages.
    static func connect(
        _ commandID: UInt32,
        _ acceptance: ConnectAcceptance,
        pingSeconds: UInt32?,
        _ encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json:
            json(commandID, "connect") { json in
                json.field("client", acceptance.clientID)
                json.field("version", acceptance.version)
                if let pingSeconds {
                    json.field("ping", pingSeconds)
                    json.field("pong", true)
                }
                json.field("session", acceptance.sessionID)
                json.field("node", acceptance.node)
                json.expiry(acceptance.timeToLiveSeconds)
                json.data(acceptance.data)
                guard !acceptance.subscriptions.isEmpty else { return }
                json.object("subs") { json in
                    for subscription in acceptance.subscriptions {
                        json.object(subscription.topic.name) {
                            $0.subscription(subscription.acceptance, subscription.wasRecovering)
                        }
                    }
                }
            }
        case .protobuf:
            protobuf(commandID) { $0.connect = WireConnectResult(acceptance, pingSeconds) }
        }
    }

    static func subscribe(
        _ commandID: UInt32,
        _ acceptance: SubscribeAcceptance,
        wasRecovering: Bool,
        _ encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json:
            json(commandID, "subscribe") { $0.subscription(acceptance, wasRecovering) }
        case .protobuf:
            protobuf(
                commandID,
                WireSubscribeResult(acceptance, wasRecovering),
                acceptance.recovered
            )
        }
    }

    /// Fields of a message may come in any order, so the part that is already encoded follows the
    /// others.
    private static func protobuf(
        _ commandID: UInt32,
        _ result: WireSubscribeResult,
        _ recovered: RecoveredPublications?
    ) -> [UInt8] {
        guard let recovered else { return protobuf(commandID) { $0.subscribe = result } }
        var head = WireReply()
        head.id = commandID
        let result = encoded(result)
        var body = encoded(head)
        body.append(ProtobufKey.subscribeOfReply)
        appendVarint(UInt64(result.count + recovered.bytes.count), to: &body)
        body += result
        var message: [UInt8] = []
        message.reserveCapacity(body.count + recovered.bytes.count + 10)
        appendVarint(UInt64(body.count + recovered.bytes.count), to: &message)
        message += body
        message += recovered.bytes
        return message
    }

    static func unsubscribe(_ commandID: UInt32, _ encoding: ClientEncoding) -> [UInt8] {
        switch encoding {
        case .json: json(commandID, "unsubscribe") { _ in }
        case .protobuf: protobuf(commandID) { $0.unsubscribe = WireUnsubscribeResult() }
        }
    }

    static func publish(_ commandID: UInt32, _ encoding: ClientEncoding) -> [UInt8] {
        switch encoding {
        case .json: json(commandID, "publish") { _ in }
        case .protobuf: protobuf(commandID) { $0.publish = WirePublishResult() }
        }
    }

    static func presence(
        _ commandID: UInt32,
        _ clients: [ClientInfo],
        _ encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json:
            json(commandID, "presence") { json in
                json.object("presence") { json in
                    for client in clients {
                        json.object(client.client) { $0.clientInfo(client) }
                    }
                }
            }
        case .protobuf:
            protobuf(commandID) { reply in
                reply.presence = WirePresenceResult()
                for client in clients {
                    reply.presence.presence[client.client] = WireClientInfo(client)
                }
            }
        }
    }

    static func presenceStats(
        _ commandID: UInt32,
        _ counts: PresenceCounts,
        _ encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json:
            json(commandID, "presence_stats") {
                $0.field("num_clients", counts.clients)
                $0.field("num_users", counts.users)
            }
        case .protobuf:
            protobuf(commandID) {
                $0.presenceStats.numClients = counts.clients
                $0.presenceStats.numUsers = counts.users
            }
        }
    }

    static func history(
        _ commandID: UInt32,
        _ answer: HistoryAnswer,
        _ encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json:
            json(commandID, "history") {
                $0.publications(answer.publications, delta: nil)
                $0.field("epoch", answer.position.epoch)
                $0.field("offset", answer.position.offset)
            }
        case .protobuf:
            protobuf(commandID) {
                $0.history.publications = answer.publications.map { WirePublication($0, nil) }
                $0.history.epoch = answer.position.epoch
                $0.history.offset = answer.position.offset
            }
        }
    }

    static func rpc(
        _ commandID: UInt32,
        _ data: [UInt8]?,
        _ encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json: json(commandID, "rpc") { if let data { $0.data(data) } }
        case .protobuf: protobuf(commandID) { $0.rpc.data = data.map(wireData) ?? wireData([]) }
        }
    }

    static func refresh(
        _ commandID: UInt32,
        _ acceptance: RefreshAcceptance,
        _ encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json:
            json(commandID, "refresh") {
                $0.field("client", acceptance.clientID)
                $0.field("version", acceptance.version)
                $0.expiry(acceptance.timeToLiveSeconds)
            }
        case .protobuf:
            protobuf(commandID) {
                $0.refresh.client = acceptance.clientID
                $0.refresh.version = acceptance.version
                $0.refresh.expires = acceptance.timeToLiveSeconds != nil
                $0.refresh.ttl = toldTimeToLive(acceptance.timeToLiveSeconds)
            }
        }
    }

    static func subRefresh(
        _ commandID: UInt32,
        timeToLiveSeconds: UInt32?,
        _ encoding: ClientEncoding
    ) -> [UInt8] {
        switch encoding {
        case .json:
            json(commandID, "sub_refresh") { $0.expiry(timeToLiveSeconds) }
        case .protobuf:
            protobuf(commandID) {
                $0.subRefresh.expires = timeToLiveSeconds != nil
                $0.subRefresh.ttl = toldTimeToLive(timeToLiveSeconds)
            }
        }
    }

    // MARK: Messages

    private static func json(
        _ commandID: UInt32,
        _ name: String,
        _ body: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("id", commandID)
            $0.object(name, body)
        }
        return json.bytes
    }

    private static func protobuf(
        _ commandID: UInt32,
        _ body: (inout WireReply) -> Void
    ) -> [UInt8] {
        var reply = WireReply()
        reply.id = commandID
        body(&reply)
        return delimited(reply)
    }
}

/// Clients take a time to live of 0 for a field that was left out.
func toldTimeToLive(_ seconds: UInt32?) -> UInt32 {
    seconds.map { max(1, $0) } ?? 0
}

extension ServerSubscription {
    var acceptance: SubscribeAcceptance { SubscribeAcceptance(subscribed, data: data) }

    var wasRecovering: Bool { subscribed.recovery != nil }
}

extension ServerAPIRequest {
    /// Reads the content of a request.
    ///
    /// - Parameter body: JSON in UTF-8; empty counts as `{}`, for the methods that have no fields.
    package init(
        _ method: ServerAPIMethod,
        body: [UInt8],
        limits: ServerAPILimits = ServerAPILimits()
    ) throws(ServerAPIRequestError) {
        // The reader of JSON takes strings as they are; subscribers could not read them.
        guard isUTF8(body) else {
            throw .notJSON(reason: "not UTF-8")
        }
        let content: ArraySlice<UInt8>
        do {
            content = body.isEmpty ? Array("{}".utf8)[...] : try JSONReader.value(of: body[...])
        } catch {
            throw .notJSON(reason: error.description)
        }
        do throws(ServerAPIError) {
            let fields = try ServerAPIFields(content, name: "request")
            self = try ServerAPIDecoder(limits: limits).request(method, fields)
        } catch {
            throw .refused(error)
        }
    }
}

func isUTF8(_ bytes: [UInt8]) -> Bool {
    (try? UTF8Span(validating: bytes.span)) != nil
}

/// Reads the fields of each method.
struct ServerAPIDecoder {
    let limits: ServerAPILimits

    func request(
        _ method: ServerAPIMethod,
        _ fields: ServerAPIFields
    ) throws(ServerAPIError) -> ServerAPIRequest {
        switch method {
        case .publish: .publish(try publication(fields, topic: try fields.topic()))
        case .broadcast: .broadcast(try broadcast(fields))
        case .subscribe: .subscribe(try subscribe(fields))
        case .unsubscribe:
            .unsubscribe(try connections(fields), from: try fields.topic())
        case .disconnect: .disconnect(try disconnect(fields))
        case .refresh: .refresh(try refresh(fields))
        case .presence: .presence(try fields.topic())
        case .presenceStats: .presenceStats(try fields.topic())
        case .history: .history(try history(fields))
        case .historyRemove: try historyRemoval(fields)
        case .channels: .channels(try channels(fields))
        case .connections: .connections(try connectionList(fields))
        case .info: .info
        case .getUserStatus: .userStatuses(of: try users(fields))
        case .revokeToken:
            .revoke(
                .token(id: try name("uid", fields), until: try fields.instant("expire_at"))
            )
        case .invalidateUserTokens: .revoke(try invalidation(fields))
        case .blockUser:
            .revoke(.block(user: try name("user", fields), until: try fields.instant("expire_at")))
        case .unblockUser: .revoke(.unblock(user: try name("user", fields)))
        case .batch: .batch(try batch(fields))
        }
    }

    /// A name that has to be there: clients without credentials cannot be blocked.
    private func name(
        _ field: String,
        _ fields: ServerAPIFields
    ) throws(ServerAPIError) -> String {
        guard let name = try fields.text(field, lengthMax: limits.nameLengthMax) else {
            throw .badRequest("\(field) is missing")
        }
        guard !name.utf8.contains(0) else { throw .badRequest("\(field) has U+0000") }
        return name
    }

    private func invalidation(
        _ fields: ServerAPIFields
    ) throws(ServerAPIError) -> ServerAPIRequest.Revoking {
        // Of the user's tokens for one channel, in other servers. To invalidate all would be too much.
        guard try fields.text("channel", lengthMax: Topic.nameLengthMax) == nil else {
            throw ServerAPIError(.notAvailable, "channel is not available here")
        }
        return .tokens(
            user: try name("user", fields),
            before: try fields.instant("issued_before"),
            until: try fields.instant("expire_at")
        )
    }

    // MARK: Publishing

    private func publication(
        _ fields: ServerAPIFields,
        topic: Topic
    ) throws(ServerAPIError) -> NewPublication {
        guard let data = try fields.json("data", base64: "b64data", keepsNull: true) else {
            throw .badRequest("data is missing")
        }
        let keyLengthMax = limits.idempotencyKeyLengthMax
        let version = try fields.unsigned("version")
        let epoch = try fields.text("version_epoch", lengthMax: keyLengthMax)
        return NewPublication(
            topic: topic,
            data: data,
            tags: try tags(fields),
            idempotencyKey: try fields.text("idempotency_key", lengthMax: keyLengthMax),
            version: version == 0 ? nil : .init(number: version, epoch: epoch ?? ""),
            keepsHistory: try !fields.bool("skip_history"),
            allowsDelta: try fields.bool("delta")
        )
    }

    private func tags(_ fields: ServerAPIFields) throws(ServerAPIError) -> [String: String] {
        var tags: [String: String] = [:]
        for (key, text) in try fields.texts("tags") {
            let length = key.utf8.count + text.utf8.count
            guard length <= limits.tagLengthMax else {
                let name = "tags.\(key.prefix(64))"
                throw .over(name, length, "bytes", limit: limits.tagLengthMax)
            }
            // A trace that no reader can use would be lost without a word.
            if key == TraceParent.name, TraceParent(text) == nil {
                throw .badRequest(
                    "tags.traceparent: expected a traceparent of W3C Trace Context, found '\(text)'"
                )
            }
            tags[key] = text
        }
        guard tags.count <= limits.tagsMax else {
            throw .over("tags", tags.count, "tags", limit: limits.tagsMax)
        }
        return tags
    }

    private func historyRemoval(
        _ fields: ServerAPIFields
    ) throws(ServerAPIError) -> ServerAPIRequest {
        let topic = try fields.topic()
        guard try fields.object("tag") != nil else { return .historyRemove(topic) }
        let tags = try fields.texts("tag")
        // Two would be two questions: whether one or both have to be there.
        guard tags.count == 1, let tag = tags.first else {
            throw .badRequest("tag has \(tags.count) members, expected one")
        }
        let length = tag.key.utf8.count + tag.text.utf8.count
        guard length <= limits.tagLengthMax else {
            throw .over("tag", length, "bytes", limit: limits.tagLengthMax)
        }
        return .historyErase(Erasure(topic: topic, tag: tag.key, value: tag.text))
    }

    private func broadcast(
        _ fields: ServerAPIFields
    ) throws(ServerAPIError) -> ServerAPIRequest.Broadcast {
        guard let channels = try fields.elements("channels") else {
            throw .badRequest("channels is missing")
        }
        guard !channels.isEmpty else { throw .badRequest("channels is empty") }
        guard channels.count <= limits.channelsMax else {
            throw .over("channels", channels.count, "channels", limit: limits.channelsMax)
        }
        let pattern = try publication(fields, topic: ServerAPIDecoder.anyTopic)
        var publications: [Result<NewPublication, ServerAPIError>] = []
        publications.reserveCapacity(channels.count)
        for (index, channel) in channels.enumerated() {
            do throws(ServerAPIError) {
                var publication = pattern
                publication.topic = try Topic(element: channel, name: "channels[\(index)]")
                publications.append(.success(publication))
            } catch {
                publications.append(.failure(error))
            }
        }
        return ServerAPIRequest.Broadcast(publications: publications)
    }

    /// Stands in a broadcast's publication until it gets its own.
    private static let anyTopic = Topic(trusted: "channels")

    // MARK: Connections

    /// The user must be given, even as an empty text: a field left out by mistake must not end the
    /// connections of all clients without credentials.
    private func connections(
        _ fields: ServerAPIFields
    ) throws(ServerAPIError) -> ServerAPIRequest.Connections {
        guard try fields.string("user") != nil else { throw .badRequest("user is missing") }
        return ServerAPIRequest.Connections(
            user: try fields.text("user", lengthMax: limits.nameLengthMax) ?? "",
            client: try fields.text("client", lengthMax: limits.nameLengthMax),
            session: try fields.text("session", lengthMax: limits.nameLengthMax)
        )
    }

    private func subscribe(
        _ fields: ServerAPIFields
    ) throws(ServerAPIError) -> ServerAPIRequest.Subscribe {
        var override = ServerAPIRequest.Override()
        if let given = try fields.object("override") {
            let value = { (name: String) throws(ServerAPIError) in
                try given.object(name)?.bool("value")
            }
            override.presence = try value("presence")
            override.joinLeave = try value("join_leave")
            override.pushesJoinLeave = try value("force_push_join_leave")
            override.isPositioned = try value("force_positioning")
            override.isRecoverable = try value("force_recovery")
        }
        return ServerAPIRequest.Subscribe(
            connections: try connections(fields),
            topic: try fields.topic(),
            options: ServerAPIRequest.SubscribeOptions(
                info: try fields.json("info", base64: "b64info"),
                data: try fields.json("data", base64: "b64data"),
                expiresAt: try fields.instant("expire_at"),
                since: try fields.position("recover_since"),
                override: override
            )
        )
    }

    private func disconnect(
        _ fields: ServerAPIFields
    ) throws(ServerAPIError) -> ServerAPIRequest.Disconnect {
        let spared = try fields.elements("whitelist") ?? []
        guard spared.count <= limits.whitelistMax else {
            throw .over("whitelist", spared.count, "clients", limit: limits.whitelistMax)
        }
        var clients: Set<String> = []
        for (index, client) in spared.enumerated() {
            guard let id = JSONReader.string(client) else {
                throw .wrongType("whitelist[\(index)]", expected: "a string", found: client)
            }
            clients.insert(id)
        }
        return ServerAPIRequest.Disconnect(
            connections: try connections(fields),
            spared: clients,
            code: try disconnectCode(fields)
        )
    }

    /// A code of the hub's list keeps its meaning, and its reason unless another is given. Other
    /// codes are the application's own; only their range determines whether a client reconnects.
    private func disconnectCode(
        _ fields: ServerAPIFields
    ) throws(ServerAPIError) -> DisconnectCode {
        let codes: ClosedRange<UInt64> = 3000...4999
        let reasonLengthMax = 123  // RFC 6455 §5.5: the most that fits a close frame.
        guard let given = try fields.object("disconnect") else { return .forceNoReconnect }
        let code = try given.unsigned("code")
        let reason = try given.text("reason", lengthMax: reasonLengthMax)
        guard code != 0 || reason != nil else { return .forceNoReconnect }
        guard codes.contains(code) else {
            throw .badRequest("code: \(code) is not in \(codes.lowerBound) to \(codes.upperBound)")
        }
        let known = DisconnectCode.all.first { $0.code == code }
        return DisconnectCode(
            UInt16(code),
            reason ?? known?.reason ?? "",
            webSocketCode: known?.webSocketCode ?? DisconnectCode.forceNoReconnect.webSocketCode
        )
    }

    private func refresh(
        _ fields: ServerAPIFields
    ) throws(ServerAPIError) -> ServerAPIRequest.Refresh {
        let instant = try fields.instant("expire_at")
        return ServerAPIRequest.Refresh(
            connections: try connections(fields),
            expiry: try fields.bool("expired") ? .now : instant.map { .at($0) } ?? .never,
            info: try fields.json("info", base64: "b64info")
        )
    }

    // MARK: Reading

    private func users(_ fields: ServerAPIFields) throws(ServerAPIError) -> [String] {
        guard let elements = try fields.elements("users") else {
            throw .badRequest("users is missing")
        }
        guard elements.count <= limits.usersMax else {
            throw .over("users", elements.count, "users", limit: limits.usersMax)
        }
        var users: [String] = []
        for (index, element) in elements.enumerated() {
            let name = "users[\(index)]"
            guard let user = JSONReader.string(element) else {
                throw .wrongType(name, expected: "a string", found: element)
            }
            guard user.utf8.count <= limits.nameLengthMax else {
                throw .over(name, user.utf8.count, "bytes", limit: limits.nameLengthMax)
            }
            guard !user.isEmpty, !user.utf8.contains(0) else {
                throw .badRequest(
                    "\(name): expected a user, found \(user.isEmpty ? "none" : "U+0000")"
                )
            }
            users.append(user)
        }
        return users
    }

    private func history(
        _ fields: ServerAPIFields
    ) throws(ServerAPIError) -> ServerAPIRequest.History {
        let limit: ServerAPIRequest.History.Limit
        switch try fields.signed("limit") ?? 0 {
        case 0: limit = .none
        case -1: limit = .all
        case let count where (1...Int64(Int32.max)).contains(count): limit = .count(Int(count))
        case let other:
            throw .badRequest("limit: \(other) is neither -1 nor in 0 to \(Int32.max)")
        }
        return ServerAPIRequest.History(
            topic: try fields.topic(),
            limit: limit,
            since: try fields.position("since"),
            isReversed: try fields.bool("reverse")
        )
    }

    /// An empty user or channel counts as left out, as in Centrifugo.
    private func connectionList(
        _ fields: ServerAPIFields
    ) throws(ServerAPIError) -> ServerAPIRequest.ConnectionList {
        // Of another server: without it, the answer would have connections that do not match.
        guard try fields.string("expression").map(\.isEmpty) ?? true else {
            throw ServerAPIError(.notAvailable, "expression is not available here")
        }
        let limitDefault = min(ServerAPIRequest.ConnectionList.limitDefault, limits.connectionsMax)
        let limit = try fields.signed("limit") ?? Int64(limitDefault)
        guard (1...Int64(limits.connectionsMax)).contains(limit) else {
            throw .badRequest("limit: \(limit) is not in 1 to \(limits.connectionsMax)")
        }
        let isOfOne = try fields.string("channel").map { !$0.isEmpty } ?? false
        return ServerAPIRequest.ConnectionList(
            user: try fields.text("user", lengthMax: limits.nameLengthMax),
            topic: isOfOne ? try fields.topic() : nil,
            limit: Int(limit)
        )
    }

    private func channels(_ fields: ServerAPIFields) throws(ServerAPIError) -> TopicGlob {
        guard let pattern = try fields.string("pattern"), !pattern.isEmpty else {
            return .everything
        }
        do {
            return try TopicGlob(pattern)
        } catch {
            throw .badRequest("pattern: \(error)")
        }
    }
}

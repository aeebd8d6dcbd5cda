extension ServerAPIDecoder {
    /// Reads the commands of a batch. Only errors without a reply of their own are errors of the
    /// batch: no commands, and too many.
    func batch(_ fields: ServerAPIFields) throws(ServerAPIError) -> ServerAPIRequest.Batch {
        guard let commands = try fields.elements("commands") else {
            throw .badRequest("commands is missing")
        }
        guard commands.count <= limits.commandsMax else {
            throw .over("commands", commands.count, "commands", limit: limits.commandsMax)
        }
        var batch = ServerAPIRequest.Batch(
            commands: [],
            isParallel: try fields.bool("parallel")
        )
        batch.commands.reserveCapacity(commands.count)
        var publicationCount = 0
        for object in commands {
            do throws(ServerAPIError) {
                let command = try command(object)
                publicationCount += command.request.publicationCount
                batch.commands.append(.success(command))
            } catch {
                batch.commands.append(.failure(error))
            }
            guard publicationCount <= limits.publicationsMax else {
                throw ServerAPIError(
                    .limitExceeded,
                    "commands: more than \(limits.publicationsMax) publications"
                )
            }
        }
        return batch
    }

    /// `{"publish":{…}}`: the only key that is a method selects the command.
    private func command(
        _ object: ArraySlice<UInt8>
    ) throws(ServerAPIError) -> ServerAPIRequest.Batch.Command {
        let fields = try ServerAPIFields(object, name: "command")
        var found: (method: ServerAPIMethod, value: ArraySlice<UInt8>)?
        for (key, value) in fields.present {
            guard let method = ServerAPIMethod(rawValue: key), method != .batch else {
                if ServerAPIMethod.notOffered.contains(key) {
                    throw ServerAPIError(.notAvailable, "\(key) is not available")
                }
                continue
            }
            if let found, found.method != method {
                throw .badRequest(
                    "command has two methods, \(found.method.rawValue) and \(method.rawValue)"
                )
            }
            found = (method, value)
        }
        guard let (method, value) = found else { throw noMethod(in: fields) }
        let request = try request(method, ServerAPIFields(value, name: method.rawValue))
        return ServerAPIRequest.Batch.Command(method: method, request: request)
    }

    private func noMethod(in fields: ServerAPIFields) -> ServerAPIError {
        let key = fields.present.first?.key.prefix(64)
        return ServerAPIError(
            .methodNotFound,
            key.map { "no method is called \($0)" } ?? "command has no method"
        )
    }
}

extension ServerAPIRequest {
    /// The number of publications in a command. A batch is not a command.
    fileprivate var publicationCount: Int {
        switch self {
        case .publish: 1
        case .broadcast(let broadcast): broadcast.publications.count
        case .subscribe, .unsubscribe, .disconnect, .refresh, .presence, .presenceStats,
            .history, .historyRemove, .historyErase, .channels, .connections, .info, .userStatuses,
            .revoke,
            .batch:
            0
        }
    }
}

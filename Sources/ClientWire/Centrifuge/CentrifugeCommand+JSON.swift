extension CentrifugeCommand {
    /// Reads one JSON object. Unknown fields are skipped, a null field counts as left out, and the
    /// last of duplicate fields counts. An object with two methods is refused.
    init(json line: ArraySlice<UInt8>) throws(CommandError) {
        for (key, value) in try Self.fields(of: line) {
            if key == "id" {
                guard let id = JSONReader.integer(value).flatMap(UInt32.init(exactly:)) else {
                    throw .wrongType(field: key)
                }
                self.id = id
                continue
            }
            let read = try Self.method(key, value)
            switch (method, read) {
            case (.none, _), (.unknown, _): method = read
            case (_, .unknown): break
            default: throw .severalMethods
            }
        }
        if method == .none, id != 0 { method = .unknown }
    }

    private static func method(
        _ name: String,
        _ value: ArraySlice<UInt8>
    ) throws(CommandError) -> Method {
        switch name {
        case "connect": .connect(try connect(value))
        case "subscribe": try subscribe(value)
        case "unsubscribe": .unsubscribe(channel: try channel(value))
        case "publish": try publish(value)
        case "presence": .presence(channel: try channel(value))
        case "presence_stats": .presenceStats(channel: try channel(value))
        case "history": .history(try history(value))
        case "rpc": try rpc(value)
        case "send": .send(data: try data(value))
        case "refresh": .refresh(token: try token(value))
        case "sub_refresh": try subRefresh(value)
        case "ping": .notOffered
        default: .unknown
        }
    }

    // MARK: Methods

    private static func connect(
        _ value: ArraySlice<UInt8>
    ) throws(CommandError) -> ConnectFields {
        var connect = ConnectFields()
        for (key, value) in try fields(of: value) {
            switch key {
            case "token": connect.token = try string(key, value)
            case "name": connect.name = try string(key, value)
            case "version": connect.version = try string(key, value)
            case "data": connect.data = Array(value)
            case "subs":
                for (channel, value) in try fields(of: value) {
                    connect.subscriptions[channel] = try subscribeFields(value).fields
                }
            default: break
            }
        }
        return connect
    }

    private static func subscribe(_ value: ArraySlice<UInt8>) throws(CommandError) -> Method {
        let (fields, type) = try subscribeFields(value)
        return type == 0 ? .subscribe(fields) : .notOffered
    }

    private static func subscribeFields(
        _ value: ArraySlice<UInt8>
    ) throws(CommandError) -> (fields: SubscribeFields, type: Int32) {
        var subscribe = SubscribeFields()
        var type: Int32 = 0
        for (key, value) in try fields(of: value) {
            switch key {
            case "channel": subscribe.channel = try string(key, value)
            case "token": subscribe.token = try string(key, value)
            case "recover": subscribe.recover = try bool(key, value)
            case "offset": subscribe.offset = try integer(key, value)
            case "epoch": subscribe.epoch = try string(key, value)
            case "data": subscribe.data = Array(value)
            case "join_leave": subscribe.joinLeave = try bool(key, value)
            case "delta": subscribe.delta = try string(key, value)
            case "flag": subscribe.flags = try integer(key, value)
            case "tf": subscribe.filter = try filter(value, depth: 1)
            case "type": type = try int32(key, value)
            default: break
            }
        }
        return (subscribe, type)
    }

    private static func publish(_ value: ArraySlice<UInt8>) throws(CommandError) -> Method {
        var publish = PublishFields()
        var type: Int32 = 0
        for (key, value) in try fields(of: value) {
            switch key {
            case "channel": publish.channel = try string(key, value)
            case "data": publish.data = Array(value)
            case "type": type = try int32(key, value)
            default: break
            }
        }
        return type == 0 ? .publish(publish) : .notOffered
    }

    private static func history(
        _ value: ArraySlice<UInt8>
    ) throws(CommandError) -> HistoryFields {
        var history = HistoryFields()
        for (key, value) in try fields(of: value) {
            switch key {
            case "channel": history.channel = try string(key, value)
            case "limit": history.limit = try int32(key, value)
            case "since": history.since = try position(value)
            case "reverse": history.reverse = try bool(key, value)
            default: break
            }
        }
        return history
    }

    private static func position(_ value: ArraySlice<UInt8>) throws(CommandError) -> Position {
        var position = Position(offset: 0, epoch: "")
        for (key, value) in try fields(of: value) {
            switch key {
            case "offset": position.offset = try integer(key, value)
            case "epoch": position.epoch = try string(key, value)
            default: break
            }
        }
        return position
    }

    private static func rpc(_ value: ArraySlice<UInt8>) throws(CommandError) -> Method {
        var method = ""
        for (key, value) in try fields(of: value) where key == "method" {
            method = try string(key, value)
        }
        return .rpc(method: method, data: try data(value))
    }

    private static func subRefresh(_ value: ArraySlice<UInt8>) throws(CommandError) -> Method {
        for (key, value) in try fields(of: value) where key == "type" {
            guard try int32(key, value) == 0 else { return .notOffered }
        }
        return .subRefresh(channel: try channel(value), token: try token(value))
    }

    /// Parts below the maximum depth of a filter are not read, and `TagFilter` refuses the filter:
    /// each level reads everything below it again.
    private static func filter(
        _ value: ArraySlice<UInt8>,
        depth: Int
    ) throws(CommandError) -> WireFilterNode {
        var node = WireFilterNode()
        guard depth <= CentrifugeLimits.filterDepthMax else { return node }
        for (key, value) in try fields(of: value) {
            switch key {
            case "op": node.op = try string(key, value)
            case "key": node.key = try string(key, value)
            case "cmp": node.cmp = try string(key, value)
            case "val": node.val = try string(key, value)
            case "vals":
                for element in try elements(of: value) {
                    node.vals.append(try string(key, element))
                }
            case "nodes":
                for element in try elements(of: value) {
                    node.nodes.append(try filter(element, depth: depth + 1))
                }
            default: break
            }
        }
        return node
    }

    // MARK: Values

    private static func channel(_ value: ArraySlice<UInt8>) throws(CommandError) -> String {
        try text("channel", of: value)
    }

    private static func token(_ value: ArraySlice<UInt8>) throws(CommandError) -> String {
        try text("token", of: value)
    }

    /// The text of one field of an object; empty when it is left out.
    private static func text(
        _ field: String,
        of object: ArraySlice<UInt8>
    ) throws(CommandError) -> String {
        var text = ""
        for (key, value) in try fields(of: object) where key == field {
            text = try string(key, value)
        }
        return text
    }

    private static func data(_ object: ArraySlice<UInt8>) throws(CommandError) -> [UInt8]? {
        try fields(of: object).last { $0.key == "data" }.map { Array($0.value) }
    }

    private static func fields(
        of object: ArraySlice<UInt8>
    ) throws(CommandError) -> [(key: String, value: ArraySlice<UInt8>)] {
        do {
            var fields = try JSONReader.fields(of: object)
            fields.removeAll { $0.value.elementsEqual("null".utf8) }
            return fields
        } catch {
            throw .notJSON(error)
        }
    }

    private static func elements(
        of array: ArraySlice<UInt8>
    ) throws(CommandError) -> [ArraySlice<UInt8>] {
        do {
            return try JSONReader.elements(of: array)
        } catch {
            throw .notJSON(error)
        }
    }

    private static func string(
        _ key: String,
        _ value: ArraySlice<UInt8>
    ) throws(CommandError) -> String {
        guard let text = JSONReader.string(value) else { throw .wrongType(field: key) }
        return text
    }

    private static func integer(
        _ key: String,
        _ value: ArraySlice<UInt8>
    ) throws(CommandError) -> UInt64 {
        guard let number = JSONReader.integer(value) else { throw .wrongType(field: key) }
        return number
    }

    private static func int32(
        _ key: String,
        _ value: ArraySlice<UInt8>
    ) throws(CommandError) -> Int32 {
        guard let number = Int32(String(decoding: value, as: UTF8.self)) else {
            throw .wrongType(field: key)
        }
        return number
    }

    private static func bool(
        _ key: String,
        _ value: ArraySlice<UInt8>
    ) throws(CommandError) -> Bool {
        if value.elementsEqual("true".utf8) { return true }
        if value.elementsEqual("false".utf8) { return false }
        throw .wrongType(field: key)
    }
}

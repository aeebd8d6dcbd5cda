/// One command of a client, whichever way it was encoded, before anything of it is checked.
struct CentrifugeCommand: Equatable {
    enum Method: Equatable {
        /// The empty message: a pong.
        case none
        case connect(ConnectFields)
        case subscribe(SubscribeFields)
        case unsubscribe(channel: String)
        case publish(PublishFields)
        case presence(channel: String)
        case presenceStats(channel: String)
        case history(HistoryFields)
        case rpc(method: String, data: [UInt8]?)
        /// A message without a reply.
        case send(data: [UInt8]?)
        case refresh(token: String)
        case subRefresh(channel: String, token: String)
        /// A method with data that are not JSON, which only Protobuf can carry.
        case dataNotJSON
        /// A method of the protocol, or a variant of one, that the hub does not offer.
        case notOffered
        /// Not a method of the protocol.
        case unknown
    }

    struct ConnectFields: Equatable {
        var token = ""
        var name = ""
        var version = ""
        var data: [UInt8]?
        /// By channel.
        var subscriptions: [String: SubscribeFields] = [:]
    }

    struct SubscribeFields: Equatable {
        var channel = ""
        var token = ""
        var recover = false
        var offset: UInt64 = 0
        var epoch = ""
        var data: [UInt8]?
        var joinLeave = false
        var delta = ""
        var filter: WireFilterNode?
        var flags: UInt64 = 0
    }

    struct PublishFields: Equatable {
        var channel = ""
        /// Nil when the client gave none.
        var data: [UInt8]?
    }

    struct HistoryFields: Equatable {
        var channel = ""
        var limit: Int32 = 0
        var since: Position?
        var reverse = false
    }

    /// 0 when the client gave none.
    var id: UInt32 = 0
    var method = Method.none
}

/// The reason why a message is not a command. The client learns only that its request was bad.
enum CommandError: Error, Equatable {
    case notJSON(JSONError)
    case notProtobuf
    case wrongType(field: String)
    case severalMethods
}

extension CentrifugeCommand {
    init(
        _ message: ArraySlice<UInt8>,
        encoding: ClientEncoding
    ) throws(CommandError) {
        switch encoding {
        case .json: try self.init(json: message)
        case .protobuf: try self.init(protobuf: message)
        }
    }
}

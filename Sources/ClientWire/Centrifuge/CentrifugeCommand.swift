import JSONText
import PubSub

/// One command of a client as it stands on the wire.
struct CentrifugeCommand: Equatable {
    enum Method: Equatable {
        /// The empty object: a pong.
        case none
        case connect(ConnectRequest)
        case subscribe(SubscribeFields)
        case unsubscribe(channel: String)
        case publish(PublishFields)
        /// A message that wants no answer.
        case send
        /// A method of the protocol that the hub does not offer.
        case notOffered
        /// Not a method of the protocol.
        case unknown
    }

    /// What a subscribe command says, before it is checked.
    struct SubscribeFields: Equatable {
        var channel = ""
        var token = ""
        var recover = false
        var offset: UInt64 = 0
        var epoch = ""
        var hasFilter = false
        var flags: UInt64 = 0
    }

    /// What a publish command says, before it is checked.
    struct PublishFields: Equatable {
        var channel = ""
        /// JSON text as the client wrote it; nil when it gave none.
        var data: ArraySlice<UInt8>?
    }

    /// 0 when the client gave none.
    var id: UInt32 = 0
    var method = Method.none
}

/// What a client says about itself when it connects.
package struct ConnectRequest: Equatable, Sendable {
    /// Empty when the client gave none.
    package var token: String
    /// The client library and its version, as it calls itself.
    package var name: String
    package var version: String

    package init(token: String = "", name: String = "", version: String = "") {
        self.token = token
        self.name = name
        self.version = version
    }
}

/// Why a line is not a command. The client is told no more than that it made a bad request.
enum CommandError: Error, Equatable {
    case notJSON(JSONError)
    case wrongType(field: String)
    case severalMethods
}

extension CentrifugeCommand {
    /// Reads one JSON object. Fields that are not known are skipped, one that is null counts as
    /// left out, and of one that stands twice the last counts; two methods are refused.
    init(_ line: ArraySlice<UInt8>) throws(CommandError) {
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
        case "subscribe": .subscribe(try subscribe(value))
        case "unsubscribe": .unsubscribe(channel: try unsubscribe(value))
        case "send": .send
        case "publish": .publish(try publish(value))
        case "presence", "presence_stats", "history", "rpc", "refresh", "sub_refresh":
            .notOffered
        default: .unknown
        }
    }

    private static func connect(_ value: ArraySlice<UInt8>) throws(CommandError) -> ConnectRequest {
        var request = ConnectRequest()
        for (key, value) in try fields(of: value) {
            switch key {
            case "token": request.token = try string(key, value)
            case "name": request.name = try string(key, value)
            case "version": request.version = try string(key, value)
            default: break
            }
        }
        return request
    }

    private static func subscribe(
        _ value: ArraySlice<UInt8>
    ) throws(CommandError) -> SubscribeFields {
        var fields = SubscribeFields()
        for (key, value) in try Self.fields(of: value) {
            switch key {
            case "channel": fields.channel = try string(key, value)
            case "token": fields.token = try string(key, value)
            case "recover": fields.recover = try bool(key, value)
            case "offset": fields.offset = try integer(key, value)
            case "epoch": fields.epoch = try string(key, value)
            case "flag": fields.flags = try integer(key, value)
            case "tf": fields.hasFilter = true
            default: break
            }
        }
        return fields
    }

    private static func unsubscribe(_ value: ArraySlice<UInt8>) throws(CommandError) -> String {
        var channel = ""
        for (key, value) in try fields(of: value) where key == "channel" {
            channel = try string(key, value)
        }
        return channel
    }

    private static func publish(_ value: ArraySlice<UInt8>) throws(CommandError) -> PublishFields {
        var fields = PublishFields()
        for (key, value) in try Self.fields(of: value) {
            switch key {
            case "channel": fields.channel = try string(key, value)
            case "data": fields.data = value
            default: break
            }
        }
        return fields
    }

    // MARK: Values

    private static func fields(
        of object: ArraySlice<UInt8>
    ) throws(CommandError) -> [(key: String, value: ArraySlice<UInt8>)] {
        do {
            return try JSONReader.fields(of: object).filter { !$0.value.elementsEqual("null".utf8) }
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

    private static func bool(
        _ key: String,
        _ value: ArraySlice<UInt8>
    ) throws(CommandError) -> Bool {
        if value.elementsEqual("true".utf8) { return true }
        if value.elementsEqual("false".utf8) { return false }
        throw .wrongType(field: key)
    }
}

import Base
import Glibc

/// Where a subscriber stands in a channel: what it sends to recover what it has missed.
struct Position: Equatable, Sendable {
    var offset: UInt64
    var epoch: String
}

/// The Centrifuge client protocol in JSON, as much of it as a load needs, written apart from the hub's own
/// so that the two can disagree.
enum CentrifugeText {
    /// One line of a server's frame.
    enum Line: Equatable {
        /// `{}`, to be answered with the same.
        case ping
        /// A publication, or another push that changes nothing here.
        case push
        case connected
        case subscribed(Subscribed)
        /// The answer to a command of ours that has nothing to say.
        case done
        /// An error, or a push that ends the subscription or the connection.
        case refused(String)
    }

    struct Subscribed: Equatable {
        /// Nil when the channel keeps no history.
        var position: Position?
        var wasRecovering = false
        var isRecovered = false
    }

    static let connectID = 1
    static let subscribeID = 2
    /// Publications count on from here.
    static let firstPublicationID = 3

    /// What a new connection says first, one frame: connect, and subscribe when there is a channel.
    static func opening(channel: String?, token: String? = nil, position: Position?) -> [UInt8] {
        var connect = JSONWriter()
        connect.object {
            $0.field("id", connectID)
            $0.object("connect") {
                $0.field("name", "varde-load")
                if let token { $0.field("token", token) }
            }
        }
        guard let channel else { return connect.bytes }
        var subscribe = JSONWriter()
        subscribe.object {
            $0.field("id", subscribeID)
            $0.object("subscribe") {
                $0.field("channel", channel)
                guard let position else { return }
                $0.field("recover", true)
                $0.field("offset", position.offset)
                $0.field("epoch", position.epoch)
            }
        }
        return connect.bytes + [newline] + subscribe.bytes
    }

    /// Appends the command to publish `data`, a JSON text.
    static func appendPublication(
        id: Int,
        channel: String,
        data: [UInt8],
        to output: inout [UInt8]
    ) {
        var writer = JSONWriter()
        writer.object {
            $0.field("id", id)
            $0.object("publish") {
                $0.field("channel", channel)
                $0.raw("data", data)
            }
        }
        output.append(contentsOf: writer.bytes)
    }

    static func read(_ line: ArraySlice<UInt8>) throws(JSONError) -> Line {
        let fields = try JSONReader.fields(of: line)
        guard !fields.isEmpty else { return .ping }
        for (key, value) in fields {
            switch key {
            case "error": return .refused(text(value))
            case "connect": return .connected
            case "subscribe": return .subscribed(try subscribed(value))
            case "push": return try push(value)
            default: continue
            }
        }
        return .done
    }

    private static func push(_ value: ArraySlice<UInt8>) throws(JSONError) -> Line {
        for (key, value) in try JSONReader.fields(of: value)
        where key == "disconnect" || key == "unsubscribe" {
            return .refused("\(key) \(text(value))")
        }
        return .push
    }

    private static func subscribed(_ value: ArraySlice<UInt8>) throws(JSONError) -> Subscribed {
        var result = Subscribed()
        // An offset that is left out is 0.
        var offset: UInt64 = 0
        var epoch: String?
        for (key, value) in try JSONReader.fields(of: value) {
            switch key {
            case "offset": offset = JSONReader.integer(value) ?? 0
            case "epoch": epoch = JSONReader.string(value)
            case "recovered": result.isRecovered = text(value) == "true"
            case "was_recovering": result.wasRecovering = text(value) == "true"
            default: continue
            }
        }
        result.position = epoch.map { Position(offset: offset, epoch: $0) }
        return result
    }

    private static func text(_ value: ArraySlice<UInt8>) -> String {
        String(decoding: value, as: UTF8.self)
    }

    static let newline = UInt8(ascii: "\n")

    /// How every publication begins; telling it from the rest needs no parsing.
    static let pushStart = Array(#"{"push":{"channel":"#.utf8)

    /// The next line of a frame that is not empty, from `position` on, which is advanced past it; nil when
    /// there is none.
    static func nextLine(
        in bytes: UnsafeRawBufferPointer,
        from position: inout Int
    ) -> UnsafeRawBufferPointer? {
        while position < bytes.count {
            let start = position
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            let length =
                memchr(rest.baseAddress!, Int32(newline), rest.count)
                .map { UnsafeRawPointer($0) - rest.baseAddress! } ?? rest.count
            position = start + length + 1
            if length > 0 { return UnsafeRawBufferPointer(rebasing: rest[..<length]) }
        }
        return nil
    }

    static func isPublication(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.count > pushStart.count else { return false }
        return pushStart.withUnsafeBytes { memcmp(line.baseAddress!, $0.baseAddress!, $0.count) }
            == 0
    }
}

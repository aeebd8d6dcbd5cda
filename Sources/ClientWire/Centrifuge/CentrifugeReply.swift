import JSONText
import PubSub

/// The hub's answers to commands, each one JSON object on one line.
enum CentrifugeReply {
    static let ping = Array("{}".utf8)

    static func error(_ commandID: UInt32, _ error: ProtocolError) -> [UInt8] {
        reply(commandID, "error") {
            $0.field("code", error.code)
            $0.field("message", error.message)
            $0.field("temporary", error.isTemporary)
        }
    }

    static func connect(
        _ commandID: UInt32,
        _ acceptance: ConnectAcceptance,
        pingSeconds: Int
    ) -> [UInt8] {
        reply(commandID, "connect") {
            $0.field("client", acceptance.clientID)
            $0.field("version", acceptance.version)
            $0.field("ping", pingSeconds)
            $0.field("pong", true)
            $0.field("session", acceptance.sessionID)
            $0.field("node", acceptance.node)
        }
    }

    /// Recovery is told as it is: `recovered` only when nothing is missing. After a gap
    /// `publications` holds what is left.
    static func subscribe(
        _ commandID: UInt32,
        _ subscribed: Subscribed,
        wasRecovering: Bool
    ) -> [UInt8] {
        reply(commandID, "subscribe") {
            $0.field("recoverable", subscribed.isRecoverable)
            $0.field("positioned", true)
            $0.field("epoch", subscribed.position.epoch)
            $0.field("offset", subscribed.position.offset)
            $0.field("was_recovering", wasRecovering)
            $0.field("recovered", subscribed.recovery?.isComplete ?? false)
            let publications = subscribed.recovery?.publications ?? []
            guard !publications.isEmpty else { return }
            $0.array("publications") { json in
                for publication in publications {
                    json.raw(CentrifugePush.publicationObject(publication))
                }
            }
        }
    }

    static func unsubscribe(_ commandID: UInt32) -> [UInt8] {
        reply(commandID, "unsubscribe") { _ in }
    }

    static func publish(_ commandID: UInt32) -> [UInt8] {
        reply(commandID, "publish") { _ in }
    }

    private static func reply(
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
}

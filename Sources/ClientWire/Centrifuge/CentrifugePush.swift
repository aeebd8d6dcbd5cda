import JSONText
import PubSub

/// What the hub sends without being asked, each one JSON object on one line.
package enum CentrifugePush {
    /// `{"push":{"channel":…,"pub":{"data":…,"offset":…}}}`
    package static func publication(_ publication: Publication) -> [UInt8] {
        var bytes: [UInt8] = []
        appendPublication(publication, to: &bytes)
        return bytes
    }

    /// Appends what `publication(_:)` returns.
    package static func appendPublication(_ publication: Publication, to bytes: inout [UInt8]) {
        let roomForTheRest = 64  // Keys, brackets and the digits of the offset.
        bytes.reserveCapacity(
            bytes.count + publication.payload.count + publication.topic.name.utf8.count
                + roomForTheRest
        )
        bytes.append(contentsOf: #"{"push":{"channel":""#.utf8)
        bytes.append(contentsOf: publication.topic.name.utf8)  // A topic needs no escapes.
        bytes.append(contentsOf: #"","pub":"#.utf8)
        appendObject(publication, to: &bytes)
        bytes.append(contentsOf: "}}".utf8)
    }

    /// `{"push":{"channel":…,"unsubscribe":{"code":…,"reason":…}}}`
    package static func unsubscribe(_ topic: Topic, _ code: UnsubscribeCode) -> [UInt8] {
        push {
            $0.field("channel", topic.name)
            $0.object("unsubscribe") {
                $0.field("code", code.code)
                $0.field("reason", code.reason)
            }
        }
    }

    /// `{"push":{"disconnect":{"code":…,"reason":…}}}`, for transports whose end can't carry a
    /// code. Over WebSocket the close frame says it.
    package static func disconnect(_ code: DisconnectCode) -> [UInt8] {
        push {
            $0.object("disconnect") {
                $0.field("code", code.code)
                $0.field("reason", code.reason)
            }
        }
    }

    /// `{"data":…,"offset":…}`
    static func publicationObject(_ publication: Publication) -> [UInt8] {
        var bytes: [UInt8] = []
        appendObject(publication, to: &bytes)
        return bytes
    }

    /// Line feeds separate messages, so one in the payload becomes a space. In a JSON text it can
    /// only stand between tokens, where both are white space (RFC 8259 §2).
    private static func appendObject(_ publication: Publication, to bytes: inout [UInt8]) {
        let lineFeed = UInt8(ascii: "\n")
        bytes.append(contentsOf: #"{"data":"#.utf8)
        if publication.payload.contains(lineFeed) {
            bytes.append(contentsOf: publication.payload.lazy.map { $0 == lineFeed ? 0x20 : $0 })
        } else {
            bytes.append(contentsOf: publication.payload)
        }
        bytes.append(contentsOf: #","offset":"#.utf8)
        bytes.append(contentsOf: String(publication.offset).utf8)
        bytes.append(UInt8(ascii: "}"))
    }

    private static func push(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.object { $0.object("push", body) }
        return json.bytes
    }
}

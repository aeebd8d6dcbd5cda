// ConformanceCases: what a peer says to a WebSocket endpoint that echoes, and what a conforming one
// answers. Start here; then Script, CaseRun and the lists in ConformanceCase+*.swift.

/// One case of the list: a conversation with an endpoint that sends every message back.
///
/// The ids and what each case is about are those of the Autobahn test suite, so that a failure
/// there can be looked at here and the other way round. Texts, data and expectations are our own,
/// and stricter: a case names one ending where the suite accepts several.
package struct ConformanceCase: Sendable {
    /// As in the suite: "5.19" is case 19 of group 5.
    package let id: String
    /// What is sent.
    package let title: String
    package let delivery: Delivery
    /// What the peer offers of permessage-deflate; empty for no offer.
    package let compressionOffers: [CompressionOffer]
    /// RFC 6455 leaves the outcome open. Our own endpoints are held to the script all the same.
    package let isInformational: Bool
    /// Large data are made when they are needed and not kept.
    private let makeScript: @Sendable () -> Script

    init(
        _ id: String,
        _ title: String,
        delivery: Delivery = .together,
        compressionOffers: [CompressionOffer] = [],
        isInformational: Bool = false,
        script: @escaping @Sendable () -> Script
    ) {
        self.id = id
        self.title = title
        self.delivery = delivery
        self.compressionOffers = compressionOffers
        self.isInformational = isInformational
        makeScript = script
    }

    init(
        _ id: String,
        _ title: String,
        _ steps: [Step],
        _ ending: Ending = .clean,
        delivery: Delivery = .together,
        isInformational: Bool = false
    ) {
        self.init(id, title, delivery: delivery, isInformational: isInformational) {
            Script(steps: steps, ending: ending)
        }
    }

    package func script() -> Script { makeScript() }

    /// Every case, in the order of the ids.
    package static let all = plain + compression

    /// The cases that need no extension.
    package static let plain =
        framing + pings + reservedBits + opcodes + fragmentation + utf8 + closing + sizes
}

extension ConformanceCase: CustomStringConvertible {
    package var description: String { "\(id) \(title)" }
}

/// How the bytes of a turn are cut on their way. An endpoint must not notice.
package enum Delivery: Hashable, Sendable {
    /// All frames at once.
    case together
    /// Each frame by itself.
    case frames
    /// Pieces of this many bytes, wherever frames begin.
    case chops(Int)
}

import HTTPWire
import Timekeeping

/// The upstreams of one domain, as recordings have them: a domain registers its own.
package protocol RecordedUpstream: Sendable {
    /// What a manifest says of its recordings.
    static var schema: RecordingSchema { get }

    /// Reads the tracks of the schema's kinds.
    init(_ reader: TrackReader) throws(RecordingError)

    /// Each with a path of its own, in the order in which an answer to an unknown path lists them.
    var products: [RecordedProduct] { get }

    /// The dates, `2024-12-09`, of what is played of a recording.
    func datesPlayed(of recording: String, kind: RecordedKind) -> [String]
}

/// What a manifest may contain for one upstream, beside the keys that every manifest has.
package struct RecordingSchema: Sendable {
    package let kinds: [RecordedKind]
    /// Keys at the top of the manifest.
    package let numbers: [RecordedNumber]

    package init(kinds: [RecordedKind], numbers: [RecordedNumber] = []) {
        self.kinds = kinds
        self.numbers = numbers
    }
}

/// A kind of recordings, which has a track of its own.
package struct RecordedKind: Sendable, Equatable {
    /// The key of the track, and the `product` of its recordings.
    package let name: String
    /// Its name in texts.
    package let title: String
    /// The keys of a recording's files.
    package let files: [String]
    /// True when a recording is one moment.
    package let standsStill: Bool

    package init(name: String, title: String, files: [String], standsStill: Bool = false) {
        self.name = name
        self.title = title
        self.files = files
        self.standsStill = standsStill
    }
}

/// A number that a manifest must have.
package struct RecordedNumber: Sendable, Equatable {
    package let key: String
    package let range: ClosedRange<Double>

    package init(key: String, range: ClosedRange<Double>) {
        self.key = key
        self.range = range
    }
}

/// One product that an upstream serves.
package struct RecordedProduct: Sendable {
    /// Why a request is refused.
    package struct Refusal: Sendable, Equatable {
        package let status: Int
        package let reason: String

        package init(_ status: Int, _ reason: String) {
            self.status = status
            self.reason = reason
        }
    }

    /// The path that upstream serves it under.
    package let path: String
    /// The name in entity tags.
    package let name: String
    /// The `Content-Type` of its bodies.
    package let contentType: String
    /// When the version that is served at a time was made. The body of a version is the same
    /// whenever it is requested.
    package let version: @Sendable (_ clock: Timestamp) -> Timestamp
    /// The body of the version that was made at that time.
    package let body: @Sendable (_ version: Timestamp) -> [UInt8]
    /// The fields that say how long a version is fresh.
    package let freshness: @Sendable (_ version: Timestamp) -> HTTPHeaders
    /// Nil for a request that upstream answers.
    package let refusal: @Sendable (_ request: HTTPRequestHead, _ clock: Timestamp) -> Refusal?

    package init(
        path: String,
        name: String,
        contentType: String = "application/json",
        version: @escaping @Sendable (_ clock: Timestamp) -> Timestamp,
        body: @escaping @Sendable (_ version: Timestamp) -> [UInt8],
        freshness: @escaping @Sendable (_ version: Timestamp) -> HTTPHeaders = { _ in [:] },
        refusal: @escaping @Sendable (HTTPRequestHead, _ clock: Timestamp) -> Refusal? = { _, _ in
            nil
        }
    ) {
        self.path = path
        self.name = name
        self.contentType = contentType
        self.version = version
        self.body = body
        self.freshness = freshness
        self.refusal = refusal
    }
}

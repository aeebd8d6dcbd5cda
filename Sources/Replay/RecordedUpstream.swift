import Wire

/// The recorded upstreams of one domain. Each domain registers its own.
package protocol RecordedUpstream: Sendable {
    /// The part of a manifest about its recordings.
    static var schema: RecordingSchema { get }

    /// Reads the tracks of the schema's kinds.
    init(_ reader: TrackReader) throws(RecordingError)

    /// The products, each with a path of its own, in the order in which an answer to an unknown
    /// path lists them.
    var products: [RecordedProduct] { get }

    /// Returns the dates, `2024-12-09`, on which the played parts of a recording were recorded.
    func datesPlayed(of recording: String, kind: RecordedKind) -> [String]
}

/// The allowed content of a manifest for one upstream, in addition to the keys of every manifest.
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
    /// The name in messages.
    package let title: String
    /// The keys of a recording's files.
    package let files: [String]
    /// Whether a recording is one moment.
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

    /// The path under which upstream serves the product.
    package let path: String
    /// The name in entity tags.
    package let name: String
    /// The `Content-Type` of its bodies.
    package let contentType: String
    /// Returns the time of the version that is served at `clock`. The body of a version is the same
    /// whenever it is requested.
    package let version: @Sendable (_ clock: Timestamp) -> Timestamp
    /// Returns the body of the version with that time.
    package let body: @Sendable (_ version: Timestamp) -> [UInt8]
    /// Returns the header fields about the freshness of a version.
    package let freshness: @Sendable (_ version: Timestamp) -> HTTPHeaders
    /// Returns why a request is refused; nil for a request that upstream answers.
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

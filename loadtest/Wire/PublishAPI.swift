import Wire

/// The server API in HTTP and JSON, as much of it as publishing needs, written apart from the hub's own so that
/// the two can disagree: protocol/server-api.md, publish and batch.
struct PublishAPI: Sendable {
    /// What became of one publication.
    enum Answer: Equatable {
        case published(Position)
        /// The error as it came.
        case refused(String)
    }

    /// Commands of a batch that a hub takes: protocol/server-api.md, Limits.
    static let batchMax = 1000
    /// A number in JSON is exact up to here for every reader; no topic gets there.
    static let offsetMax: UInt64 = 1 << 53
    /// Bytes of an error that are worth telling.
    static let refusalLengthMax = 200

    /// Publications of one request: 1 goes to `publish`, more go to `batch`.
    let batch: Int
    /// The head of a request without the length of its content, which goes behind.
    private let headStart: [UInt8]

    /// - Parameters:
    ///   - authority: For the `Host` field.
    ///   - path: Where the API is, `/api`.
    ///   - key: Visible ASCII, as the value of a header field has to be.
    ///   - batch: 1 to `batchMax`.
    init(authority: String, path: String, key: String, batch: Int) {
        precondition((1...PublishAPI.batchMax).contains(batch))
        self.batch = batch
        let head = HTTPRequestHead(
            method: "POST",
            target: path + (batch == 1 ? "/publish" : "/batch"),
            headers: ["Host": authority, "X-API-Key": key, "Content-Type": "application/json"]
        )
        var bytes: [UInt8] = []
        head.append(to: &bytes)
        // Without the empty line, before which one more field stands.
        headStart = bytes.dropLast(2)
    }

    /// A whole request with `batch` publications.
    ///
    /// - Parameter publications: The data is JSON.
    func request(_ publications: [(channel: String, data: [UInt8])]) -> [UInt8] {
        precondition(publications.count == batch)
        var content = JSONWriter()
        if batch == 1 {
            content.object { PublishAPI.write(publications[0], &$0) }
        } else {
            content.object { content in
                content.array("commands") { content in
                    for publication in publications {
                        content.object {
                            $0.object("publish") { PublishAPI.write(publication, &$0) }
                        }
                    }
                }
            }
        }
        var request = headStart
        request.append(contentsOf: "Content-Length: \(content.bytes.count)\r\n\r\n".utf8)
        request.append(contentsOf: content.bytes)
        return request
    }

    private static func write(
        _ publication: (channel: String, data: [UInt8]),
        _ writer: inout JSONWriter
    ) {
        writer.field("channel", publication.channel)
        writer.raw("data", publication.data)
    }

    // MARK: Answers

    /// What the content of a response with status 200 says of each publication, in their order. There should
    /// be `batch` of them.
    func answers(_ content: ArraySlice<UInt8>) throws(JSONError) -> [Answer] {
        guard batch > 1 else { return [try PublishAPI.answer(content, key: "result")] }
        for (key, value) in try JSONReader.fields(of: content) where key == "replies" {
            var answers: [Answer] = []
            for reply in try JSONReader.elements(of: value) {
                answers.append(try PublishAPI.answer(reply, key: "publish"))
            }
            return answers
        }
        return []
    }

    /// - Parameter key: Where a position stands, when it is not an `error`.
    private static func answer(
        _ object: ArraySlice<UInt8>,
        key: String
    ) throws(JSONError) -> Answer {
        for (name, value) in try JSONReader.fields(of: object) {
            if name == key { return try position(value).map(Answer.published) ?? refused(value) }
            if name == "error" { return refused(value) }
        }
        return refused(object)
    }

    private static func refused(_ value: ArraySlice<UInt8>) -> Answer {
        .refused(String(decoding: value.prefix(refusalLengthMax), as: UTF8.self))
    }

    /// Nil when it is not the position of a publication that was kept.
    private static func position(_ value: ArraySlice<UInt8>) throws(JSONError) -> Position? {
        var offset: UInt64?
        var epoch: String?
        for (key, value) in try JSONReader.fields(of: value) {
            switch key {
            case "offset": offset = JSONReader.integer(value)
            case "epoch": epoch = JSONReader.string(value)
            default: continue
            }
        }
        guard let offset, let epoch, (1...offsetMax).contains(offset) else { return nil }
        return Position(offset: offset, epoch: epoch)
    }
}

/// Publications, which are encoded once for all subscribers of a form and are most of a hub's
/// output.
extension CentrifugePush {
    /// - Parameter delta: nil for subscribers that did not agree to deltas.
    static func append(
        _ publication: Publication,
        delta: DeltaForm?,
        _ encoding: ClientEncoding,
        to bytes: inout [UInt8]
    ) {
        switch encoding {
        case .json:
            appendJSON(publication, delta, to: &bytes)
        case .protobuf:
            var reply = WireReply()
            reply.push.channel = publication.topic.name
            reply.push.pub = WirePublication(publication, delta)
            appendDelimited(reply, to: &bytes)
        }
    }

    private static func appendJSON(
        _ publication: Publication,
        _ delta: DeltaForm?,
        to bytes: inout [UInt8]
    ) {
        let roomForTheRest = 64  // Keys, brackets and the digits of the offset.
        bytes.reserveCapacity(
            bytes.count + publication.payload.count + publication.topic.name.utf8.count
                + roomForTheRest
        )
        bytes.append(contentsOf: #"{"push":{"channel":""#.utf8)
        bytes.append(contentsOf: publication.topic.name.utf8)  // A topic needs no escapes.
        bytes.append(contentsOf: #"","pub":"#.utf8)
        appendObject(publication, delta, to: &bytes)
        bytes.append(contentsOf: "}}".utf8)
    }

    /// `{"data":…,"offset":…}`
    static func appendObject(
        _ publication: Publication,
        _ delta: DeltaForm?,
        to bytes: inout [UInt8]
    ) {
        bytes.append(contentsOf: #"{"data":"#.utf8)
        let isDifference = appendData(publication, delta, to: &bytes)
        if publication.offset > 0 {
            bytes.append(contentsOf: #","offset":"#.utf8)
            bytes.append(contentsOf: String(publication.offset).utf8)
        }
        if isDifference { bytes.append(contentsOf: #","delta":true"#.utf8) }
        if !publication.tags.isEmpty { appendTags(publication.tags, to: &bytes) }
        if let info = publication.info {
            bytes.append(contentsOf: #","info":"#.utf8)
            var json = JSONWriter()
            json.object { $0.clientInfo(info) }
            bytes.append(contentsOf: json.bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Whether it is a difference in the end.
    private static func appendData(
        _ publication: Publication,
        _ delta: DeltaForm?,
        to bytes: inout [UInt8]
    ) -> Bool {
        guard let delta else {
            appendOnOneLine(publication.payload, to: &bytes)
            return false
        }
        var json = JSONWriter()
        var isDifference = false
        if case .difference(let difference) = delta,
            let text = String(validating: difference, as: UTF8.self)
        {
            json.value(text)
            isDifference = true
        } else {
            json.value(String(decoding: publication.payload, as: UTF8.self))
        }
        bytes.append(contentsOf: json.bytes)
        return isDifference
    }

    /// As `JSONWriter.json`, without a copy.
    private static func appendOnOneLine(_ text: [UInt8], to bytes: inout [UInt8]) {
        let lineFeed = UInt8(ascii: "\n")
        if text.contains(lineFeed) {
            bytes.append(contentsOf: text.lazy.map { $0 == lineFeed ? 0x20 : $0 })
        } else {
            bytes.append(contentsOf: text)
        }
    }

    /// In the order of the names, so that the same publication is always the same bytes.
    private static func appendTags(_ tags: [String: String], to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #","tags":"#.utf8)
        var json = JSONWriter()
        json.object {
            for (name, value) in tags.sorted(by: { $0.key < $1.key }) { $0.field(name, value) }
        }
        bytes.append(contentsOf: json.bytes)
    }
}

/// The parts of messages that several of them have, as fields of the object that is being written.
extension JSONWriter {
    /// Writes `data`, or nothing when there are none.
    mutating func data(_ data: [UInt8]?) {
        guard let data, !data.isEmpty else { return }
        json("data", data)
    }

    /// Writes a field of JSON text on one line.
    ///
    /// Line feeds separate messages, so one in the text becomes a space. In JSON text it can only
    /// occur between tokens, where both are white space (RFC 8259 §2).
    mutating func json(_ key: String, _ text: [UInt8]) {
        let lineFeed = UInt8(ascii: "\n")
        if text.contains(lineFeed) {
            raw(key, text.lazy.map { $0 == lineFeed ? 0x20 : $0 })
        } else {
            raw(key, text)
        }
    }

    /// Writes the time to live, or nothing if there is no limit.
    mutating func expiry(_ timeToLiveSeconds: UInt32?) {
        guard timeToLiveSeconds != nil else { return }
        field("expires", true)
        field("ttl", toldTimeToLive(timeToLiveSeconds))
    }

    mutating func clientInfo(_ info: ClientInfo) {
        field("user", info.user)
        field("client", info.client)
        if let connectionInfo = info.connectionInfo { json("conn_info", connectionInfo) }
        if let topicInfo = info.topicInfo { json("chan_info", topicInfo) }
    }

    /// `recovered` is true only if no publication is missing. After a gap `publications` has the
    /// remaining ones.
    mutating func subscription(_ acceptance: SubscribeAcceptance, _ wasRecovering: Bool) {
        let subscribed = acceptance.subscribed
        let start = subscribed.start
        field("recoverable", subscribed.isRecoverable)
        field("positioned", acceptance.isPositioned)
        field("epoch", start.epoch)
        field("offset", start.offset)
        field("was_recovering", wasRecovering)
        field("recovered", subscribed.recovery?.isComplete ?? false)
        expiry(acceptance.timeToLiveSeconds)
        data(acceptance.data)
        if acceptance.usesDelta { field("delta", true) }
        if let recovered = acceptance.recovered {
            raw("publications", recovered.bytes)
        } else {
            publications(
                subscribed.recovery?.publications ?? [],
                delta: acceptance.usesDelta ? .full : nil
            )
        }
    }

    /// Writes the list, or nothing when it is empty.
    mutating func publications(_ publications: [Publication], delta: CentrifugePush.DeltaForm?) {
        guard !publications.isEmpty else { return }
        raw("publications", RecoveredPublications(publications, delta: delta, .json).bytes)
    }
}

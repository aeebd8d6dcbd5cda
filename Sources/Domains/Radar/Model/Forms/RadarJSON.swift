// The contract's forms: names and order of keys as documented, null where there is nothing. The routes
// and the app's socket share them and differ in their dates.

extension Opinion {
    package func json(dates: DateForm = .iso8601Seconds) -> [UInt8] {
        var json = JSONWriter()
        json.object { write(to: &$0, dates: dates) }
        return json.bytes
    }

    func write(to json: inout JSONWriter, dates: DateForm) {
        json.field("id", id)
        json.field("radarId", radarID)
        json.field("author", author)
        json.field("model", model)
        json.field("content", content)
        json.field("stance", stance.rawValue)
        json.field("confidence", confidence)
        json.field("reasoning", reasoning)
        json.field("createdAt", createdAt, dates)
    }
}

extension RadarState {
    /// - Parameters:
    ///   - opinions: the newest first; the first `RadarLimits.opinionsShown` are carried along.
    ///   - isPending: in the answer to a refresh, whether its poll is still under way.
    ///   - socketToken: for its owner only.
    package func json(
        opinions: [Opinion],
        isPending: Bool? = nil,
        socketToken: String? = nil
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            write(to: &json, opinions: opinions, socketToken: socketToken, dates: .iso8601Seconds)
            if let isPending { json.field("pending", isPending) }
        }
        return json.bytes
    }

    func write(
        to json: inout JSONWriter,
        opinions: [Opinion],
        socketToken: String? = nil,
        dates: DateForm
    ) {
        json.field("id", id)
        json.field("userId", userID)
        json.field("topic", topic)
        json.object("interpretation") { interpretation.write(to: &$0) }
        json.field("position", position.rawValue)
        json.field("positionChange", standing.change, dates)
        json.array("opinions") { json in
            for opinion in opinions.prefix(RadarLimits.opinionsShown) {
                json.object { opinion.write(to: &$0, dates: dates) }
            }
        }
        // The app has no radar without a poll: its creation stands for the first one.
        json.field("lastPolledAt", lastPolledAt ?? createdAt, dates)
        json.field("refreshCount", refreshCount)
        if let lastPoll {
            json.object("lastPoll") { lastPoll.write(to: &$0, dates: dates) }
        } else {
            json.null("lastPoll")
        }
        json.field("createdAt", createdAt, dates)
        json.field("updatedAt", updatedAt, dates)
        json.field("isPublic", isPublic)
        json.field("socketToken", socketToken)
    }
}

/// An array of radars, in the given order, each with its newest opinions first.
package func radarsJSON(
    _ radars: [(radar: RadarState, opinions: [Opinion], socketToken: String?)]
) -> [UInt8] {
    var json = JSONWriter()
    json.array { json in
        for (radar, opinions, token) in radars {
            json.object {
                radar.write(
                    to: &$0,
                    opinions: opinions,
                    socketToken: token,
                    dates: .iso8601Seconds
                )
            }
        }
    }
    return json.bytes
}

/// An array of opinions in the given order.
package func opinionsJSON(_ opinions: [Opinion]) -> [UInt8] {
    var json = JSONWriter()
    json.array { json in
        for opinion in opinions { json.object { opinion.write(to: &$0, dates: .iso8601Seconds) } }
    }
    return json.bytes
}

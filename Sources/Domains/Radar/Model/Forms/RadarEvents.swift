/// The event for an opinion, at the time when it was given.
///
/// - Parameter id: unique, such as from `uuidVersion7`; also for the events below.
package func opinionCreatedEvent(_ opinion: Opinion, id: String) -> Event {
    event("radar.opinion.created", of: opinion.radarID, id: id, time: opinion.createdAt) { json in
        json.object("opinion") { opinion.write(to: &$0, dates: .iso8601Seconds) }
    }
}

/// The event for a change of a radar's position.
///
/// - Parameter previous: the position that was published before.
package func positionChangedEvent(
    _ derivation: PositionDerivation,
    previous: Stance,
    radarID: String,
    id: String,
    time: Timestamp
) -> Event {
    event("radar.position.changed", of: radarID, id: id, time: time) { json in
        json.field("position", derivation.position.rawValue)
        json.field("previous", previous.rawValue)
        json.field("score", derivation.score)
        json.field("certainty", derivation.certainty.rawValue)
        json.field("probability", derivation.probability)
        json.object("reason") { derivation.reason.writeTexts(to: &$0) }
    }
}

/// The event for today's point of a trend and its slope.
package func trendChangedEvent(_ trend: Trend, id: String, time: Timestamp) -> Event {
    event("radar.trend.changed", of: trend.radarID, id: id, time: time) { json in
        if let today = trend.points.last {
            json.object("point") { today.write(to: &$0) }
        }
        json.field("slope", trend.slope)
    }
}

/// The event that a source has interpreted the radar's topic.
package func interpretationChangedEvent(
    _ radar: RadarState,
    id: String,
    time: Timestamp
) -> Event {
    event("radar.interpretation.changed", of: radar.id, id: id, time: time) { json in
        json.object("interpretation") { radar.interpretation.write(to: &$0) }
    }
}

/// The event that a poll is over in which at least one source has answered.
package func radarRefreshedEvent(
    _ radar: RadarState,
    opinionsAdded: Int,
    id: String,
    time: Timestamp
) -> Event {
    event("radar.refreshed", of: radar.id, id: id, time: time) { json in
        json.field("position", radar.position.rawValue)
        json.field("refreshCount", radar.refreshCount)
        json.field("lastPolledAt", radar.lastPolledAt ?? radar.createdAt, .iso8601Seconds)
        json.field("updatedAt", radar.updatedAt, .iso8601Seconds)
        json.field("opinionsAdded", opinionsAdded)
    }
}

/// The event that a poll is over in which no source has answered.
package func radarRefreshFailedEvent(
    _ poll: LastPoll,
    radarID: String,
    id: String,
    time: Timestamp
) -> Event {
    event("radar.refresh.failed", of: radarID, id: id, time: time) { json in
        json.field("startedAt", poll.startedAt, .iso8601Seconds)
        poll.writeFailures(to: &json)
    }
}

private func event(
    _ type: String,
    of radarID: String,
    id: String,
    time: Timestamp,
    data: (inout JSONWriter) -> Void
) -> Event {
    var json = JSONWriter()
    json.object { json in
        json.field("radarId", radarID)
        data(&json)
    }
    return Event(
        id: id,
        type: type,
        source: "/radar",
        subject: radarID,
        time: time,
        data: json.bytes
    )
}

import Service

/// The state of a clock in JSON, and the requests that change it. protocol/console.md, Clock.
package struct ClockDocument: Sendable {
    /// The period that a recording covers.
    package struct Recording: Equatable, Sendable {
        package var start: Timestamp
        /// Nil if it is unknown.
        package var end: Timestamp?

        package init(start: Timestamp, end: Timestamp?) {
            self.start = start
            self.end = end
        }
    }

    package var reading: HubClock.Reading
    /// Nil for the wall clock.
    package var recording: Recording?
    /// Whether the reader may change the clock.
    package var isControllable: Bool

    package init(_ reading: HubClock.Reading, _ recording: Recording?, isControllable: Bool) {
        self.reading = reading
        self.recording = recording
        self.isControllable = isControllable
    }

    package var response: ServerResponse {
        var json = JSONWriter()
        json.object { json in
            json.field("kind", recording == nil ? "wall" : "recording")
            json.field("time", reading.time.iso8601)
            json.field("speed", reading.speed)
            json.field("paused", reading.isPaused)
            if let recording {
                json.object("recording") {
                    $0.field("start", recording.start.iso8601)
                    $0.field("end", recording.end?.iso8601)
                }
            } else {
                json.null("recording")
            }
            json.field("controllable", isControllable)
        }
        return .uncached(json.bytes)
    }

    // MARK: Requests

    /// Longer bodies of requests are refused.
    package static let bodyBytesMax = 4096
    private static let timeExpected = "a time such as 2024-12-09T19:30:00Z"

    /// Reads the body of a request: any of `paused`, `speed` and `time`.
    package static func change(_ body: [UInt8]) throws(RouteRefusal) -> ClockChange {
        do throws(RequestError) {
            let fields = try RequestFields(body)
            let speeds = RecordingClock.speeds
            return ClockChange(
                isPaused: try fields.bool("paused"),
                speed: try fields.number(
                    "speed",
                    in: speeds,
                    expected: "a number from \(speeds.lowerBound) to \(Int(speeds.upperBound))"
                ),
                time: try time(fields)
            )
        } catch {
            throw RouteRefusal(400, "INVALID_REQUEST", "\(error)")
        }
    }

    private static func time(_ fields: RequestFields) throws(RequestError) -> Timestamp? {
        guard let text = try fields.text("time", TextRule(lengthMax: 40)) else { return nil }
        guard let time = Timestamp(iso8601: text) else {
            throw .unexpected(
                field: "time",
                expected: timeExpected,
                found: RequestError.excerpt(Array(#""\#(text)""#.utf8))
            )
        }
        return time
    }
}

extension RouteRefusal {
    package init(_ refusal: ClockRefusal) {
        switch refusal {
        case .wallClock: self.init(409, "WALL_CLOCK", "\(refusal)")
        case .past: self.init(409, "TIME_PASSED", "\(refusal)")
        case .nothing, .speed, .tooFar: self.init(400, "INVALID_REQUEST", "\(refusal)")
        }
    }
}

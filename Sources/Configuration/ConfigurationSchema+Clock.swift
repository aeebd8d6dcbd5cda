extension Configuration.Clock: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Clock>] {
        [
            .scalar(
                "start",
                \.start,
                .time,
                isRequired: true,
                reload: .restart,
                meaning: "The clock's time when the hub starts, ISO 8601; UTC without a zone."
            ),
            .scalar(
                "speed",
                \.speed,
                .number(RecordingClock.speeds),
                reload: .restart,
                meaning: "Its seconds that pass in one second."
            ),
            .optional(
                "end",
                \.end,
                .time,
                reload: .restart,
                meaning: """
                    Where the recording ends, for the progress in the console. The clock runs on \
                    after it.
                    """
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        guard let end, end <= start else { return [] }
        let message = "found \(end.iso8601), expected a time after start, \(start.iso8601)"
        return [("end", message)]
    }
}

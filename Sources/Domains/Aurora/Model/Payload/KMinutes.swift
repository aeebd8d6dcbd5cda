/// SWPC's `planetary_k_index_1m.json`: a running estimate of Kp for the current 3-hour window.
///
/// The estimate falls toward 0 when a window begins; `KReading` uses the greater one of it and the
/// window before.
package struct KMinutes: Hashable, Sendable {
    /// Oldest first, one for each minute.
    package var minutes: [KMinute]
    package var notes = PayloadNotes()

    /// Takes `estimated_kp`, in thirds, and the whole `kp_index` where that is missing.
    package static func decode(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> KMinutes {
        let columns = [
            TableColumn(names: ["time_tag"]), TableColumn(names: ["estimated_kp"]),
            TableColumn(names: ["kp_index"], isRequired: false),
        ]
        var minutes: [KMinute] = []
        let notes = try ProductTable.read(bytes, columns: columns, now: now) {
            (row) throws(PayloadError) in
            let kp =
                row.number(1, in: AuroraLimits.kpRange) ?? row.number(2, in: AuroraLimits.kpRange)
            guard let kp else { return }
            minutes.append(KMinute(time: try row.time(0), kp: kp))
        }
        guard !minutes.isEmpty else { throw .noUsableRows("none has a Kp") }
        return KMinutes(minutes: minutes.oldestFirst(by: \.time), notes: notes)
    }
}

/// The estimate of Kp at one minute.
package struct KMinute: Hashable, Sendable {
    package var time: Timestamp
    /// 0…9
    package var kp: Double

    package init(time: Timestamp, kp: Double) {
        self.time = time
        self.kp = kp
    }
}

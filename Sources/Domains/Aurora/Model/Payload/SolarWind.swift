/// Minutes of the solar wind at L1, from any of the products that carry some of it.
package struct SolarWind: Hashable, Sendable {
    /// Oldest first, one for each minute; a minute without any number is left out.
    package var minutes: [SolarWindMinute]
    package var notes = PayloadNotes()
}

/// The solar wind in one minute, measured at L1; nil is missing.
package struct SolarWindMinute: Hashable, Sendable {
    /// On the whole minute, when it was measured, not when it arrives at the Earth.
    package var time: Timestamp
    /// km/s
    package var speed: Double?
    /// Protons per cm³
    package var density: Double?
    /// nT, GSM
    package var by: Double?
    /// nT, GSM; negative is southward.
    package var bz: Double?
    /// nT, the total field |B|, which is not the transverse field of the coupling.
    package var bt: Double?

    package init(
        time: Timestamp,
        speed: Double? = nil,
        density: Double? = nil,
        by: Double? = nil,
        bz: Double? = nil,
        bt: Double? = nil
    ) {
        self.time = time.roundedDown(to: .seconds(60))
        self.speed = speed
        self.density = density
        self.by = by
        self.bz = bz
        self.bt = bt
    }

    package var isEmpty: Bool {
        speed == nil && density == nil && by == nil && bz == nil && bt == nil
    }

    /// The numbers of `newer`, and of this minute where `newer` has none.
    package func overlaid(by newer: SolarWindMinute) -> SolarWindMinute {
        SolarWindMinute(
            time: time,
            speed: newer.speed ?? speed,
            density: newer.density ?? density,
            by: newer.by ?? by,
            bz: newer.bz ?? bz,
            bt: newer.bt ?? bt
        )
    }
}

extension SolarWind {
    /// The names of the columns in one product; nil where it has none.
    struct Columns {
        var speed: String?
        var density: String?
        var by: String?
        var bz: String?
        /// Whether the file has several spacecraft and `active` marks the one to use.
        var marksActive = false
        var bt: String { "bt" }

        /// In the order time, speed, density, by, bz, bt, active.
        fileprivate var table: [TableColumn] {
            let names = [speed, density, by, bz, by == nil ? nil : bt]
            return [TableColumn(names: ["time_tag"])]
                + names.map { TableColumn(names: $0.map { [$0] } ?? [], isRequired: $0 != nil) }
                + [TableColumn(names: marksActive ? ["active"] : [], isRequired: marksActive)]
        }
    }

    /// Reads a product's rows in any order. Within one minute the first row wins, later ones fill
    /// in.
    static func decode(
        _ bytes: [UInt8],
        columns: Columns,
        now: Timestamp
    ) throws(PayloadError) -> SolarWind {
        var minutes: [SolarWindMinute] = []
        var activeCount = 0
        let notes = try ProductTable.read(bytes, columns: columns.table, now: now) {
            (row) throws(PayloadError) in
            // The spacecraft in charge can change within the file, and its name is no help: a row
            // that is not marked active is not used.
            if columns.marksActive, row.flag(6) != true { return }
            activeCount += 1
            let minute = try SolarWind.minute(&row)
            if !minute.isEmpty { minutes.append(minute) }
        }
        guard activeCount > 0 else { throw .noUsableRows("none is marked active") }
        guard !minutes.isEmpty else { throw .noUsableRows("none has a number") }
        return SolarWind(minutes: joined(minutes), notes: notes)
    }

    private static func minute(_ row: inout TableRow) throws(PayloadError) -> SolarWindMinute {
        var minute = SolarWindMinute(
            time: try row.time(0),
            speed: row.number(1, in: AuroraLimits.speedRange),
            density: row.number(2, in: AuroraLimits.densityRange),
            by: row.number(3, in: AuroraLimits.fieldRange),
            bz: row.number(4, in: AuroraLimits.fieldRange),
            bt: row.number(5, in: 0...AuroraLimits.fieldRange.upperBound)
        )
        // A row of zeros is a filled gap: no wind is that empty and no field that quiet.
        if minute.speed == nil, minute.density == 0 { minute.density = nil }
        if minute.by == 0, minute.bz == 0, (minute.bt ?? 0) == 0 {
            (minute.by, minute.bz, minute.bt) = (nil, nil, nil)
        }
        return minute
    }

    private static func joined(_ minutes: [SolarWindMinute]) -> [SolarWindMinute] {
        var result: [SolarWindMinute] = []
        result.reserveCapacity(minutes.count)
        for minute in minutes.sorted(by: \.time) {
            if let last = result.last, last.time == minute.time {
                result[result.count - 1] = minute.overlaid(by: last)
            } else {
                result.append(minute)
            }
        }
        return result
    }
}

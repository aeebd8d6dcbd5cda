import Replay

extension Track<SolarWindTable> {
    /// `propagated-solar-wind-1-hour.json`: field and plasma of the last 55 minutes up to `newest`,
    /// oldest first, each with its time of arrival near Earth.
    func propagatedHour(until newest: Timestamp) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * 1024)
        bytes.append(propagatedHeader)
        let minuteCount = 55
        let first = newest - .minutes(minuteCount - 1)
        var speed = speedHeld(before: first)
        for index in 0..<minuteCount {
            let time = first + .minutes(index)
            let minute = minute(at: time)
            if minute.speed.isFinite { speed = minute.speed }
            guard !minute.rows.isEmpty else { continue }
            bytes.append(",[")
            bytes.append(zonedTimeTag: time)
            bytes.appendPropagated(minute)
            bytes.append(zonedTimeTag: time + arrivalDelay(speed: speed))
            bytes.append("]")
        }
        bytes.append("]")
        return bytes
    }

    /// `rtsw_mag_1m.json`: the field of the last 24 hours up to `newest`, newest first.
    func fieldDay(until newest: Timestamp) -> [UInt8] {
        day(until: newest, rows: .field) { minute, bytes in
            bytes.append(
                ",\"range\":null,\"scale\":null,\"sensitivity\":null,\"manual_mode\":false"
                    + ",\"sample_size\":null,\"bt\":"
            )
            bytes.append(decimal: minute.bt, places: 2)
            bytes.append(
                ",\"bx_gse\":null,\"by_gse\":null,\"bz_gse\":null,\"theta_gse\":null"
                    + ",\"phi_gse\":null,\"bx_gsm\":"
            )
            bytes.append(decimal: minute.bx, places: 2)
            bytes.append(",\"by_gsm\":")
            bytes.append(decimal: minute.by, places: 2)
            bytes.append(",\"bz_gsm\":")
            bytes.append(decimal: minute.bz, places: 2)
            bytes.append(
                ",\"theta_gsm\":null,\"phi_gsm\":null,\"max_telemetry_flag\":0"
                    + ",\"max_data_flag\":0,\"overall_quality\":0}"
            )
        }
    }

    /// `rtsw_wind_1m.json`: the plasma of the last 24 hours up to `newest`, newest first.
    func plasmaDay(until newest: Timestamp) -> [UInt8] {
        day(until: newest, rows: .plasma) { minute, bytes in
            bytes.append(",\"proton_speed\":")
            bytes.append(decimal: minute.speed, places: 1)
            bytes.append(",\"proton_temperature\":")
            bytes.append(decimal: minute.temperature, places: 0)
            bytes.append(",\"proton_density\":")
            bytes.append(decimal: minute.density, places: 2)
            bytes.append(plasmaRest)
        }
    }

    /// The minute measured at `time`; without rows when nothing was.
    func minute(at time: Timestamp) -> SolarWindMinute {
        let position = timeline.position(at: time)
        return tables[position.table][position.time]
    }

    private func day(
        until newest: Timestamp,
        rows: SolarWindMinute.Rows,
        append: (SolarWindMinute, inout [UInt8]) -> Void
    ) -> [UInt8] {
        let minuteCount = 1440
        let rowLengthMax = 720
        var bytes: [UInt8] = []
        bytes.reserveCapacity(minuteCount * rowLengthMax)
        var separator = "["
        for index in 0..<minuteCount {
            let time = newest - .minutes(index)
            let minute = minute(at: time)
            guard minute.rows.contains(rows) else { continue }
            bytes.append(separator)
            separator = ","
            bytes.append("{\"time_tag\":")
            bytes.append(timeTag: time)
            bytes.append(",\"active\":true,\"source\":\"REPLAY\"")
            append(minute, &bytes)
        }
        bytes.append(bytes.isEmpty ? "[]" : "]")
        return bytes
    }

    /// The last speed measured in the three hours before `time`; else that of a slow wind.
    private func speedHeld(before time: Timestamp) -> Float {
        let minutesMax = 180
        let slowWind: Float = 400
        for index in 1...minutesMax {
            let speed = minute(at: time - .minutes(index)).speed
            if speed.isFinite { return speed }
        }
        return slowWind
    }
}

/// The time that wind of `speed` km/s takes from L1 to Earth, rounded to a second.
private func arrivalDelay(speed: Float) -> Duration {
    let distanceKilometres = 1.5e6
    return .seconds(Int((distanceKilometres / Double(max(speed, 1))).rounded()))
}

private let propagatedHeader =
    "[[\"time_tag\",\"speed\",\"density\",\"temperature\",\"bx\",\"by\",\"bz\",\"bt\",\"vx\",\"vy\""
    + ",\"vz\",\"propagated_time_tag\"]"

/// The fields of a plasma row that the recordings do not hold.
private let plasmaRest =
    ",\"proton_vx_gse\":null,\"proton_vy_gse\":null,\"proton_vz_gse\":null"
    + ",\"proton_vx_gsm\":null,\"proton_vy_gsm\":null,\"proton_vz_gsm\":null"
    + ",\"proton_sample_size\":null,\"alpha_speed\":null,\"alpha_temperature\":null"
    + ",\"alpha_density\":null,\"alpha_vx_gse\":null,\"alpha_vy_gse\":null"
    + ",\"alpha_vz_gse\":null,\"alpha_vx_gsm\":null,\"alpha_vy_gsm\":null"
    + ",\"alpha_vz_gsm\":null,\"alpha_sample_size\":null,\"max_convergence_flag\":0"
    + ",\"max_data_flag\":0,\"max_error_count_flag\":0,\"max_processing_flag\":0"
    + ",\"max_range_flag\":0,\"max_sample_count_flag\":0,\"max_telemetry_flag\":0"
    + ",\"overall_quality\":0}"

extension [UInt8] {
    /// Appends the columns between the two times of a propagated row, commas included.
    fileprivate mutating func appendPropagated(_ minute: SolarWindMinute) {
        let columns: [(Float, places: Int)] = [
            (minute.speed, 1), (minute.density, 2), (minute.temperature, 0), (minute.bx, 2),
            (minute.by, 2), (minute.bz, 2), (minute.bt, 2),
        ]
        for (value, places) in columns {
            append(UInt8(ascii: ","))
            append(decimal: value, places: places)
        }
        append(",null,null,null,")
    }
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
}

// AuroraFuzz: the aurora domain's handling of arbitrary bytes from its upstreams.

import Aurora
import FuzzKit

extension FuzzTarget {
    /// One for each product of an upstream, and one for the state from the store.
    package static let auroraTargets =
        AuroraProduct.allCases.map { product in
            FuzzTarget(
                "feed-" + product.rawValue.replacing("_", with: "-"),
                lengthMax: 4096,
                dictionary: "aurora"
            ) { try checkProduct(product, $0) }
        } + [
            FuzzTarget("aurora-part", lengthMax: 1024, dictionary: "aurora") { try checkPart($0) }
        ]

    /// When the recordings' rows are of the past and of the last hours.
    fileprivate static let now = Timestamp(milliseconds: 1_790_424_000_000)
}

/// A payload within its limits that the state takes, or a documented error.
private func checkProduct(_ product: AuroraProduct, _ bytes: [UInt8]) throws {
    let bytes = product == .ovation ? withGrid(bytes) : bytes
    let payload: AuroraPayload
    do throws(PayloadError) {
        payload = try product.decode(bytes, now: FuzzTarget.now)
    } catch {
        return try checkDescription(error.description)
    }
    try expect(try product.decode(bytes, now: FuzzTarget.now) == payload, "twice is not the same")
    try checkRows(payload)
    var state = AuroraState()
    state.apply(payload, now: FuzzTarget.now)
    try expect(!state.apply(payload, now: FuzzTarget.now), "the same payload changes the state")
    try checkDerivation(of: state)
    try checkRestart(of: state)
}

/// In place of each byte 1, which JSON does not contain, all cells of a grid: an input is short and
/// reaches the end of the reader all the same.
private func withGrid(_ bytes: [UInt8]) -> [UInt8] {
    // Two grids are refused; more would only take time.
    guard bytes.count(where: { $0 == 1 }) <= 2 else { return bytes }
    return bytes.flatMap { $0 == 1 ? gridCells : [$0] }
}

private let gridCells: [UInt8] = {
    var text = ""
    for longitude in 0..<Ovation.longitudeCount {
        for latitude in -90...90 {
            if !text.isEmpty { text += "," }
            text += "[\(longitude),\(latitude),\(latitude > 60 ? 9 : 0)]"
        }
    }
    return Array(text.utf8)
}()

private func checkRows(_ payload: AuroraPayload) throws {
    let latest = FuzzTarget.now + AuroraLimits.clockSkewMax
    switch payload {
    case .planetaryK(let value):
        try checkTimes(value.intervals.map(\.start), to: latest)
        try expect(value.intervals.allSatisfy { AuroraLimits.kpRange.contains($0.kp) }, "Kp")
    case .kForecast(let value):
        try checkTimes(
            value.intervals.map(\.start),
            to: FuzzTarget.now + AuroraLimits.forecastAheadMax
        )
        try expect(value.intervals.allSatisfy { AuroraLimits.kpRange.contains($0.kp) }, "Kp")
    case .kOutlook(let value):
        try checkTimes(
            value.days.map(\.start),
            to: FuzzTarget.now + AuroraLimits.outlookAheadMax
        )
        let isInRange = value.days.allSatisfy {
            AuroraLimits.aRange.contains($0.a) && AuroraLimits.kpRange.contains($0.kp)
        }
        try expect(isInRange, "A or Kp")
    case .kMinutes(let value):
        try checkTimes(value.minutes.map(\.time), to: latest)
        try expect(value.minutes.allSatisfy { AuroraLimits.kpRange.contains($0.kp) }, "Kp")
    case .solarWind(let value):
        try checkTimes(value.minutes.map(\.time), to: latest)
        for minute in value.minutes {
            try expect(isIn(AuroraLimits.speedRange, minute.speed), "speed")
            try expect(isIn(AuroraLimits.densityRange, minute.density), "density")
            try expect(isIn(AuroraLimits.fieldRange, minute.by), "By")
            try expect(isIn(AuroraLimits.fieldRange, minute.bz), "Bz")
            try expect(isIn(AuroraLimits.fieldRange, minute.bt), "Bt")
        }
    case .ovation(let value):
        try expect(value.observation <= latest, "observation \(value.observation)")
        try expect(value.values.count == Ovation.valueCount, "\(value.values.count) cells")
    case .weather(_, let value):
        try expect(value.steps.map(\.time) == value.steps.map(\.time).sorted(), "order of steps")
    case .scales(let value):
        try expect(value.time.map { $0 <= latest } ?? false, "scales of the future, or none of now")
        let scales = value.lines.flatMap {
            [$0.radioBlackout, $0.radiationStorm, $0.geomagneticStorm]
        }
        try expect(scales.allSatisfy { $0.map((0...5).contains) ?? true }, "a scale over 5")
    case .bulletins(let value):
        try expect(value.bulletins.count <= AuroraLimits.bulletinCountMax, "too many bulletins")
        try expect(value.bulletins.allSatisfy { $0.issued <= latest }, "a bulletin of the future")
        let isInEffect = value.bulletins.allSatisfy { $0.until > FuzzTarget.now }
        try expect(isInEffect, "a bulletin that is over")
    }
}

private func isIn(_ range: ClosedRange<Double>, _ value: Double?) -> Bool {
    value.map(range.contains) ?? true
}

/// Oldest first, each once, none from the future.
private func checkTimes(_ times: [Timestamp], to latest: Timestamp) throws(Violation) {
    try expect(times.count <= AuroraLimits.rowCountMax, "\(times.count) rows")
    try expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "order of rows")
    try expect(times.last.map { $0 <= latest } ?? true, "a row from the future")
}

private func checkDerivation(of state: AuroraState) throws {
    let derivation = deriveConditions(
        place: .tromso,
        state: state,
        now: FuzzTarget.now,
        previousLevel: nil
    )
    for field in alertFields(derivation) {
        if case .number(let value) = field.value {
            try expect(value.isFinite, "\(field.name) is \(value)")
        }
    }
    try expect(!conditionsChanged(derivation.conditions, derivation.conditions), "changed")
    let outlook = Outlook(derivation, state: state)
    let isInRange = outlook.hours.allSatisfy {
        (0...100).contains($0.score) && AuroraLimits.kpRange.contains($0.kp)
    }
    try expect(isInRange, "a coming hour's score or Kp")
}

/// Checks that the state restored from the store equals the state.
private func checkRestart(of state: AuroraState) throws {
    var restored = AuroraState()
    for part in state.parts { try restored.restore(part, bytes: state.encodedPart(part)) }
    try expect(restored == state, "the state is not restored")
}

/// The first byte selects the part, the others are the stored bytes: a state or an error, and a
/// restored part is written as it was read.
private func checkPart(_ bytes: [UInt8]) throws {
    let parts: [AuroraStatePart] = [
        .solarWind, .kp, .ovation, .weather(place: "tromso"), .kOutlook,
    ]
    guard let first = bytes.first else { return }
    let part = parts[Int(first) % parts.count]
    var state = AuroraState()
    do throws(PartError) {
        try state.restore(part, bytes: Array(bytes.dropFirst()))
    } catch {
        try expect(state == AuroraState(), "a damaged part changed the state")
        return try checkDescription(error.description)
    }
    var again = AuroraState()
    try again.restore(part, bytes: state.encodedPart(part))
    try expect(again == state, "the part is not restored")
    try checkDerivation(of: state)
}

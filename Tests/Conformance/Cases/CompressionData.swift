/// Data of one kind that messages are cut from: some that compress well, some hardly, some not.
struct CompressionData: Sendable {
    var name: String
    /// Otherwise sent as binary messages.
    var isText: Bool
    private let make: @Sendable (inout Noise, inout [UInt8]) -> Void

    private init(
        _ name: String,
        isText: Bool,
        _ make: @escaping @Sendable (inout Noise, inout [UInt8]) -> Void
    ) {
        self.name = name
        self.isText = isText
        self.make = make
    }

    static let all = [records, image, prose, markup, mixture]

    /// More than the longest message, and no multiple of any length, so that each one is cut at
    /// another place.
    private static let bytesMin = 200_000

    /// Message number `index`: the data from where the message before ended, over and over. A text
    /// is up to three bytes longer, to its last scalar's end.
    func message(_ index: Int, length: Int) -> [UInt8] {
        let bytes = Self.cache[name, default: []]
        var start = index * length % bytes.count
        if isText { start = scalarBoundary(start, bytes) }
        var end = start + length
        guard end > bytes.count else {
            if isText { end = scalarBoundary(end, bytes) }
            return Array(bytes[start..<end])
        }
        end -= bytes.count
        if isText { end = scalarBoundary(end, bytes) }
        return Array(bytes[start...] + bytes[..<end])
    }

    /// The next position, this one included, where a scalar begins.
    private func scalarBoundary(_ position: Int, _ bytes: [UInt8]) -> Int {
        var position = position
        while position < bytes.count, bytes[position] & 0xC0 == 0x80 { position += 1 }
        return position
    }

    private static let cache = Dictionary(
        uniqueKeysWithValues: all.map { data -> (String, [UInt8]) in
            var noise = Noise(state: UInt32(data.name.utf8.count))
            var bytes: [UInt8] = []
            bytes.reserveCapacity(bytesMin + 4096)
            while bytes.count < bytesMin { data.make(&noise, &bytes) }
            return (data.name, bytes)
        }
    )

    // MARK: Kinds

    static let records = CompressionData("records", isText: true) { noise, bytes in
        let name = words[noise.below(words.count)]
        let record =
            #"{"id":\#(noise.below(100_000)),"name":"\#(name)","kp":\#(noise.below(9)),"#
            + #""speed":\#(300 + noise.below(500)),"bz":-\#(noise.below(20)).\#(noise.below(10))},"#
        bytes += record.utf8
    }

    private static let image = CompressionData("image", isText: false) { noise, bytes in
        // A line of grey that changes little by little.
        var grey = noise.below(256)
        for _ in 0..<512 {
            grey += noise.below(7) - 3
            bytes.append(UInt8(truncatingIfNeeded: grey))
        }
    }

    private static let prose = CompressionData("prose", isText: false) { noise, bytes in
        for index in 0..<4 + noise.below(12) {
            if index > 0 { bytes.append(0x20) }
            bytes += words[noise.below(words.count)].utf8
        }
        bytes += (noise.below(4) == 0 ? ".\n" : ". ").utf8
    }

    private static let markup = CompressionData("markup", isText: true) { noise, bytes in
        let number = noise.below(1000)
        let (first, second) = (words[noise.below(words.count)], words[noise.below(words.count)])
        bytes += "<li class=\"row r\(number % 2)\"><a href=\"/\(number)\">\(first)</a> ".utf8
        bytes += "<em>\(second)</em></li>\n".utf8
    }

    private static let mixture = CompressionData("mixture", isText: false) { noise, bytes in
        bytes += "\(noise.below(1000)) 0 obj << /Length 256 >> stream\n".utf8
        for _ in 0..<256 { bytes.append(UInt8(noise.below(256))) }
    }

    private static let words = [
        "nordlys", "fjord", "Tromsø", "varde", "natt", "himmel", "sjø", "skydekke", "vind",
        "måling", "storm", "stille", "grønn", "bue", "over", "og", "i", "til", "fra", "kulde",
        "Lofoten", "Ålesund", "fyr", "signal", "ild", "hav", "snø", "lys", "mørke", "stjerne",
    ]
}

/// Numbers that look random and are the same in each run (a linear congruential generator).
struct Noise {
    var state: UInt32

    mutating func below(_ bound: Int) -> Int {
        state = state &* 1_664_525 &+ 1_013_904_223
        // The low bits repeat soon.
        return Int(state >> 8) % bound
    }
}

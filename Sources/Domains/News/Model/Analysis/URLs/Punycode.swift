/// Labels of internationalised domain names in ASCII: RFC 3492.
enum Punycode {
    private static let (base, tMin, tMax, skew, damp) = (36, 1, 26, 38, 700)
    private static let (initialBias, initialN) = (72, 128)
    /// Of a label in DNS.
    private static let lengthMax = 63

    /// `bücher.example` as `xn--bcher-kva.example`. ASCII labels are unchanged, and so are labels
    /// too long to be a name.
    static func ascii(host: String) -> String {
        guard host.utf8.contains(where: { $0 >= 0x80 }) else { return host }
        let dots: Set<Character> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]
        return host.split(omittingEmptySubsequences: false) { dots.contains($0) }
            .map { label in
                label.utf8.allSatisfy { $0 < 0x80 } || label.unicodeScalars.count > lengthMax
                    ? String(label) : "xn--" + encoded(Array(label.unicodeScalars.map(\.value)))
            }
            .joined(separator: ".")
    }

    private static func encoded(_ label: [UInt32]) -> String {
        var output = label.filter { $0 < 0x80 }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (n, delta, bias, handled) = (initialN, 0, initialBias, basicCount)
        while handled < label.count {
            guard let next = label.lazy.map({ Int($0) }).filter({ $0 >= n }).min() else { break }
            delta += (next - n) * (handled + 1)
            n = next
            for scalar in label {
                if scalar < n { delta += 1 }
                guard scalar == n else { continue }
                appendInteger(delta, bias: bias, to: &output)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            n += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// A generalised variable-length integer (§3.3).
    private static func appendInteger(_ value: Int, bias: Int, to output: inout [UInt8]) {
        var rest = value
        var k = base
        while true {
            let threshold = min(max(k - bias, tMin), tMax)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            k += base
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: Int) -> UInt8 {
        value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
    }

    /// §6.1
    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var k = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            k += base
        }
        return k + (base - tMin + 1) * delta / (delta + skew)
    }
}

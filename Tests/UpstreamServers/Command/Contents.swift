import Glibc
import SeededRandom

/// The contents of requests and answers: text whose length and digits a seed decides.
struct Contents: Sendable {
    private static let fileCount = 64
    private let files: [[UInt8]]
    private let seed: UInt64

    /// As powers of two, in bytes.
    private static let fileLengthMaxPower = 17
    private static let postedLengthMaxPower = 20

    /// - Parameter seed: For the contents of requests. The files are always the same.
    init(seed: UInt64 = 1) {
        self.seed = seed
        files = (0..<Contents.fileCount).map { number in
            Contents.text(UInt64(number), lengthMaxPower: Contents.fileLengthMaxPower)
        }
    }

    /// The file that the request with this number asks for.
    func file(for id: Int) -> (name: String, content: [UInt8]) {
        let number = id % Contents.fileCount
        return ("\(number).txt", files[number])
    }

    /// What the request with this number sends, and the server returns.
    func posted(for id: Int) -> [UInt8] {
        let key = UInt64(id) &+ seed &* UInt64(1 << 32)
        return Contents.text(key, lengthMaxPower: Contents.postedLengthMaxPower)
    }

    /// Writes the files; returns why it could not.
    func write(to directory: String) -> String? {
        for (number, content) in files.enumerated() {
            let path = "\(directory)/\(number).txt"
            guard let file = fopen(path, "w") else { return "cannot open \(path)" }
            let writtenCount = fwrite(content, 1, content.count, file)
            guard fclose(file) == 0, writtenCount == content.count else {
                return "cannot write \(path)"
            }
        }
        return nil
    }

    /// Hexadecimal digits, which compress to half their length. Each range between two powers of
    /// two is equally frequent among the lengths: most contents are short, and some are as long as
    /// the limit allows.
    private static func text(_ key: UInt64, lengthMaxPower: Int) -> [UInt8] {
        var random = SeededGenerator(seed: key)
        let power = Int(key % UInt64(lengthMaxPower + 1))
        let range = (1 << power) / 2...(1 << power)
        let length = power == 0 ? 0 : Int.random(in: range, using: &random)
        let digits = Array("0123456789abcdef".utf8)
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            var word: UInt64 = 0
            for index in 0..<length {
                if index % 16 == 0 { word = random.next() }
                buffer[index] = digits[Int(word & 0xF)]
                word >>= 4
            }
            count = length
        }
    }
}

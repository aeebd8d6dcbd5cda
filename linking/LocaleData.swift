// Copies ICU's data without what is for languages other than English, for converting character sets, and for
// breaking and transliterating text: locale-data.sh.
//
// The format ("CmnD", version 1, of ICU's ucmndata.h): a header whose size is its first number; then, with
// offsets from there, the count of items, a name and data offset for each in the order of the names, the names,
// each ended by a zero, and the data, each item on a multiple of 16 bytes.
import Foundation

struct FormatError: Error {}

struct Item {
    let name: String
    let data: Data
}

func number(_ data: Data, at offset: Int) throws -> Int {
    guard offset >= 0, offset + 4 <= data.count else { throw FormatError() }
    return (0..<4).reduce(0) { $0 | Int(data[data.startIndex + offset + $1]) << (8 * $1) }
}

func read(_ body: Data) throws -> [Item] {
    let count = try number(body, at: 0)
    guard count > 0, count < 100_000 else { throw FormatError() }
    let entries = try (0..<count).map {
        (name: try number(body, at: 4 + 8 * $0), data: try number(body, at: 8 + 8 * $0))
    }
    return try entries.enumerated().map { index, entry in
        let end = index + 1 < count ? entries[index + 1].data : body.count
        guard entry.name < body.count, entry.data <= end, end <= body.count else {
            throw FormatError()
        }
        let start = body.startIndex
        let name = body[(start + entry.name)...].prefix { $0 != 0 }
        return Item(
            name: String(decoding: name, as: UTF8.self),
            data: body[(start + entry.data)..<(start + end)]
        )
    }
}

func isKept(_ name: String) -> Bool {
    let parts = name.split(separator: "/").dropFirst()
    guard let file = parts.last, let dot = file.lastIndex(of: ".") else { return true }
    let (stem, kind) = (file[..<dot], file[file.index(after: dot)...])
    if ["cnv", "dict", "spp", "cfu"].contains(kind) { return false }
    if parts.count > 1, ["translit", "rbnf"].contains(parts.first!) { return false }
    if ["unames.icu", "cnvalias.icu"].contains(file) { return false }
    // `nb.res`, `zh_Hant_TW.res`; other names, such as `root.res` and `zoneinfo64.res`, are of no language.
    let language = stem.prefix { $0 != "_" }
    let isOfLanguage =
        kind == "res" && stem != "res_index" && (2...3).contains(language.count)
        && language.allSatisfy { $0.isASCII && $0.isLowercase }
    return !isOfLanguage || ["en", "en_001", "en_US", "en_US_POSIX"].contains(stem)
}

func bytes(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

func write(_ items: [Item]) -> Data {
    var table = Data(bytes(items.count))
    var names = Data()
    var data = Data()
    let namesStart = 4 + 8 * items.count
    let namesLength = items.reduce(0) { $0 + $1.name.utf8.count + 1 }
    let dataStart = (namesStart + namesLength + 15) / 16 * 16
    for item in items {
        data.append(Data(count: -data.count & 15))
        table += bytes(namesStart + names.count) + bytes(dataStart + data.count)
        names += Array(item.name.utf8) + [0]
        data += item.data
    }
    return table + names + Data(count: dataStart - namesStart - namesLength) + data
}

let arguments = CommandLine.arguments
let full = try Data(contentsOf: URL(fileURLWithPath: arguments[1]))
guard full.count > 32, full[2] == 0xDA, full[3] == 0x27, full[12..<16] == Data("CmnD".utf8),
    full[16] == 1
else { throw FormatError() }
let header = full.prefix(Int(full[0]) | Int(full[1]) << 8)
let items = try read(full.dropFirst(header.count))
let kept = items.filter { isKept($0.name) }
let result = header + write(kept)
try result.write(to: URL(fileURLWithPath: arguments[2]))
print("linking: locale data of \(kept.count) of \(items.count) tables, \(result.count) bytes")

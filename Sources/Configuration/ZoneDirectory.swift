import Glibc

/// The reason why a name is not a known time zone.
package enum ZoneError: Error, Equatable, CustomStringConvertible {
    case badName
    /// The database is not installed.
    case noDatabase(path: String)
    case unknown(path: String)
    case unreadable(path: String, reason: String)

    package var description: String {
        switch self {
        case .badName: "not a name such as Europe/Oslo"
        case .noDatabase(let path): "there is no \(path): install the package tzdata"
        case .unknown(let path): "no zone of this name is in \(path)"
        case .unreadable(let path, let reason): "\(path): \(reason)"
        }
    }
}

/// The time zones of the system's database, by their IANA names.
///
/// Each file is read once, on the first use of its name, so a running hub keeps the rules from that
/// time. Files are regular ones of at most `ClockZone.fileBytesMax`, and there are at most some 600
/// names, of 3 KB each in memory.
package final class ZoneDirectory: Sendable {
    package static let system = ZoneDirectory(path: "/usr/share/zoneinfo")
    package static let nameLengthMax = 64

    private let path: String
    private let zones: Locked<[String: ClockZone]>

    package init(path: String) {
        self.path = path
        zones = Locked(Dictionary(uniqueKeysWithValues: ClockZone.builtIn.map { ($0.name, $0) }))
    }

    package func zone(_ name: String) throws(ZoneError) -> ClockZone {
        if let zone = zones.withLock({ $0[name] }) { return zone }
        guard ZoneDirectory.isName(name) else { throw .badName }
        let file = "\(path)/\(name)"
        guard let bytes = try read(file) else {
            throw ZoneDirectory.isDirectory(path) ? .unknown(path: path) : .noDatabase(path: path)
        }
        let zone: ClockZone
        do throws(ZoneFileError) { zone = try ClockZone(name: name, file: bytes) } catch {
            throw .unreadable(path: file, reason: "\(error)")
        }
        // Two threads may have read the file; the first result is kept.
        return zones.withLock { zones in
            if let known = zones[name] { return known }
            zones[name] = zone
            return zone
        }
    }

    /// Whether the name has only letters, digits and `+-_/`, and begins with a capital. Names in
    /// the database have no dots, so no name leads out of its folder. Other files in it begin with
    /// small letters (`posixrules`, `tzdata.zi`, `right/`).
    private static func isName(_ name: String) -> Bool {
        guard (1...nameLengthMax).contains(name.utf8.count), let first = name.utf8.first,
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
        else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
    }

    // MARK: Files

    /// Returns the content of a file; nil if it does not exist.
    private func read(_ file: String) throws(ZoneError) -> [UInt8]? {
        // O_NONBLOCK: a pipe of that name does not block the caller.
        let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if [ENOENT, ENOTDIR].contains(errno) { return nil }
            throw .unreadable(path: file, reason: String(cString: strerror(errno)))
        }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            // A folder of zones, such as `America`.
            throw .unknown(path: path)
        }
        let lengthMax = ClockZone.fileBytesMax
        var bytes = [UInt8](repeating: 0, count: lengthMax + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress! + length, $0.count - length)
            }
            guard count >= 0 else {
                throw .unreadable(path: file, reason: String(cString: strerror(errno)))
            }
            if count == 0 { break }
            length += count
        }
        guard length <= lengthMax else {
            throw .unreadable(path: file, reason: "longer than \(lengthMax) bytes")
        }
        return Array(bytes[..<length])
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

// MARK: - Scalar types

extension ScalarType where Value == ClockZone {
    /// A zone of the system's database.
    package static var timeZone: ScalarType { zone(fixed: false) }

    /// A zone of the system's database, or a fixed offset from UTC.
    package static var timeZoneOrOffset: ScalarType { zone(fixed: true) }

    private static func zone(fixed: Bool) -> ScalarType {
        func read(_ text: String) throws(ZoneError) -> ClockZone {
            if fixed, let zone = QuietHours.zone(text) { return zone }
            return try ZoneDirectory.system.zone(text)
        }
        return ScalarType(
            name: "time zone",
            range: "an IANA name" + (fixed ? ", or -14:00 to +14:00" : ""),
            example: "Europe/Oslo",
            read: { scalar in try? read(scalar.text) },
            text: { yamlText($0.name) },
            problem: { scalar in
                do throws(ZoneError) { _ = try read(scalar.text) } catch { return "\(error)" }
                return nil
            }
        )
    }
}

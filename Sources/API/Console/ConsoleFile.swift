// Console: the page at /console/, which shows the hub to developers and operators.

import CConsole
import Foundation
import Service

/// One file of the console with the forms in which it is sent.
struct ConsoleFile: Sendable {
    let bytes: [UInt8]
    /// Compressed once, because the file never changes.
    let gzip: [UInt8]
    let tag: EntityTag
    let gzipTag: EntityTag

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        gzip = API.gzip(bytes)
        (tag, gzipTag) = (EntityTag(of: bytes), EntityTag(of: gzip))
    }
}

/// The files of the console: embedded in the program, or those of a folder.
package struct ConsoleFiles: Sendable {
    private static let bytesMax = 4 << 20

    /// The folder to read instead; nil for the embedded files.
    private let directory: String?

    package init(directory: String? = nil) { self.directory = directory }

    /// The paths of the embedded files, below console/.
    package static let embedded: [String] = Array(indices.keys).sorted()

    /// Only the paths are read here, so that the memory pages with the contents stay on disk until
    /// they are requested.
    private static let indices: [String: UInt] = {
        var found: [String: UInt] = [:]
        while let file = varde_console_file_at(UInt(found.count)) {
            found[String(cString: file.pointee.path)] = UInt(found.count)
        }
        return found
    }()

    /// Returns the bytes of a file.
    ///
    /// - Parameter path: one or two names of letters, digits, hyphens and one dot.
    func bytes(of path: String) -> [UInt8]? {
        guard let directory else {
            guard let index = ConsoleFiles.indices[path],
                let file = varde_console_file_at(index)?.pointee
            else { return nil }
            return Array(UnsafeRawBufferPointer(start: file.bytes, count: Int(file.length)))
        }
        let url = URL(filePath: directory).appending(path: path)
        guard let data = try? Data(contentsOf: url), data.count <= ConsoleFiles.bytesMax else {
            return nil
        }
        return Array(data)
    }

    /// Whether a file may change while the hub runs.
    var isFixed: Bool { directory == nil }
}

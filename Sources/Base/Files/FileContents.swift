// Files: whole files up to a limit, and the system's reason when one cannot be read.

import Glibc

/// Why a file was not read: `rules.yaml: cannot be read: No such file or directory`.
package struct FileError: Error, Equatable, CustomStringConvertible {
    package let path: String
    /// Without the path.
    package let problem: String

    package var description: String { "\(path): \(problem)" }

    /// With the reason of the calling thread's `errno`.
    fileprivate static func unreadable(_ path: String) -> FileError {
        FileError(path: path, problem: "cannot be read: \(String(cString: strerror(errno)))")
    }
}

/// Returns the bytes of a file or a pipe.
///
/// - Parameter lengthMax: in bytes.
/// - Throws: with the system's reason, and for a longer file.
package func contents(ofFile path: String, lengthMax: Int) throws(FileError) -> [UInt8] {
    let descriptor = try open(path)
    defer { close(descriptor) }
    let pieceLength = 1 << 20
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: min(pieceLength, lengthMax + 1))
    while bytes.count <= lengthMax {
        let count = read(descriptor, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw .unreadable(path) }
        guard count > 0 else { return bytes }
        bytes += piece[..<count]
    }
    var status = stat()
    let length =
        fstat(descriptor, &status) == 0 ? max(bytes.count, Int(status.st_size)) : bytes.count
    throw FileError(path: path, problem: "length \(length) over limit \(lengthMax)")
}

/// Returns the text of a file or a pipe in UTF-8.
///
/// - Parameter lengthMax: in bytes.
/// - Throws: as `contents(ofFile:lengthMax:)`, and for bytes that are not UTF-8.
package func text(ofFile path: String, lengthMax: Int) throws(FileError) -> String {
    let bytes = try contents(ofFile: path, lengthMax: lengthMax)
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw FileError(path: path, problem: "found bytes that are not UTF-8")
    }
    return text
}

/// Throws the system's reason if a file cannot be opened for reading, or is a directory. A pipe is left
/// to its one reader.
package func checkIsReadable(_ path: String) throws(FileError) {
    if !isPipe(path) { close(try open(path)) }
}

/// Whether a path leads to a pipe: opening it waits for a writer, and its bytes can be read only once.
package func isPipe(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
}

/// Returns a descriptor of a file that is no directory: those can be opened, but not read.
private func open(_ path: String) throws(FileError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        return descriptor
    }
    close(descriptor)
    errno = EISDIR
    throw .unreadable(path)
}

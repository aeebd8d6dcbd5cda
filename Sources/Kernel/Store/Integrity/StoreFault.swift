/// Why the files of an open store are not those that their path names. While it lasts, no commit is
/// acknowledged: nobody would find it again.
package enum StoreFault: Sendable, Equatable, CustomStringConvertible {
    /// No file has the path, or the file has no name.
    case removed
    /// The path leads to another file.
    case replaced
    /// The file has no byte.
    case emptied
    /// The write-ahead log was removed or replaced: what is written to it ends with the process.
    case logGone
    /// Another process claimed the store after the lock file was removed.
    case claimedTwice

    package var description: String {
        switch self {
        case .removed: "the database file was removed"
        case .replaced: "the path leads to another file"
        case .emptied: "the database file is empty"
        case .logGone: "the write-ahead log was removed or replaced"
        case .claimedTwice: "another process has claimed the store"
        }
    }
}

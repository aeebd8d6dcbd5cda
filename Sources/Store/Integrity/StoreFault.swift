/// The reason why the files of an open store are not those at their path. During a fault, no commit
/// is acknowledged, since it would be lost.
package enum StoreFault: Sendable, Equatable, CustomStringConvertible {
    /// There is no file at the path, or the file has no name.
    case removed
    /// The path leads to another file.
    case replaced
    /// The file is empty.
    case emptied
    /// The write-ahead log was removed or replaced: commits in it are lost with the end of the
    /// process.
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

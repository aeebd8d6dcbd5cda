import ArgumentParser
import Glibc

/// How many descriptors this process may open; each connection takes one.
enum DescriptorLimit {
    /// For the standard streams, the loop and the files of a report.
    private static let others = 32

    /// Raises the limit as far as the system lets, and refuses what it does not suffice for: better than a
    /// run that fails halfway.
    static func raise(for connections: Int) throws {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        guard UInt(connections + others) <= limit.rlim_cur else {
            throw ValidationError(
                "\(connections) connections need more than the \(limit.rlim_cur) descriptors that "
                    + "this process may open: start several, or raise ulimit -n"
            )
        }
    }
}

import Glibc
import Logging

/// The descriptors that the process may open, and how many of them connections get.
enum DescriptorLimit {
    /// Kept for the store, the log, upstreams, webhooks and the loops themselves. Connections beyond the
    /// rest are turned away while there are descriptors to do it with.
    static let kept = 64

    /// Raises the soft limit to the hard one and returns how many connections there can be, at most as many as
    /// configured; a note goes to the log when it is fewer.
    static func connections(configured: Int, logger: Logger) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return configured }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        getrlimit(resource, &limit)
        let allowed = connections(
            configured: configured,
            descriptors: Int(clamping: limit.rlim_cur)
        )
        if allowed < configured {
            logger.warning(
                "fewer connections than limits.connections: the process may not open more descriptors",
                metadata: [
                    "connections": "\(allowed)", "configured": "\(configured)",
                    "descriptors": "\(limit.rlim_cur)",
                ]
            )
        }
        return allowed
    }

    static func connections(configured: Int, descriptors: Int) -> Int {
        min(configured, max(1, descriptors - kept))
    }
}

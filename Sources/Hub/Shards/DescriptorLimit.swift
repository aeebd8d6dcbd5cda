import Glibc
import Logging

/// The descriptors that the process may open, and how many of them connections get.
package enum DescriptorLimit {
    /// Kept for the store, the log, upstreams, webhooks and the loops themselves. Connections beyond the
    /// rest are turned away while there are descriptors to do it with.
    package static let kept = 64
    /// Those of the kept ones that connections may hold which are being turned away. The rest stays for the
    /// store and for outgoing requests, however many clients come again and again.
    package static let keptForRefused = 16
    /// However many descriptors there are. Clients beyond it are told, too, but nobody waits until they have
    /// read it.
    package static let refusedPerLoopMax = 256

    /// Raises the soft limit to the hard one and returns it; nil when the kernel does not say.
    package static func raise() -> Int? {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        getrlimit(resource, &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// How many connections there can be, at most as many as configured; a note goes to the log when it is
    /// fewer.
    package static func connections(configured: Int, descriptors: Int, logger: Logger) -> Int {
        let allowed = connections(configured: configured, descriptors: descriptors)
        if allowed < configured {
            logger.warning(
                "fewer connections than limits.connections: the process may not open more descriptors",
                metadata: [
                    "connections": "\(allowed)", "configured": "\(configured)",
                    "descriptors": "\(descriptors)",
                ]
            )
        }
        return allowed
    }

    package static func connections(configured: Int, descriptors: Int) -> Int {
        min(configured, max(1, descriptors - kept))
    }

    /// How many connections each loop may hold open that it is turning away.
    package static func refusedPerLoop(connections: Int, descriptors: Int, loops: Int) -> Int {
        precondition(loops > 0)
        let spare = max(keptForRefused, descriptors - kept - connections)
        return min(refusedPerLoopMax, spare / loops)
    }
}

import Glibc
import Logging

/// The limit of the process's open descriptors, and the share of connections in it.
package enum DescriptorLimit {
    /// Descriptors reserved for the store, the log, upstreams, webhooks and the loops themselves.
    /// Connections beyond the rest are refused while there are descriptors for the refusal.
    package static let kept = 64
    /// The part of the reserved descriptors that refused connections may hold. The rest remains for
    /// the store and for outgoing requests, however often clients return.
    package static let keptForRefused = 16
    /// The maximum per loop, whatever the number of descriptors. Clients beyond it also receive a
    /// refusal, but the loop does not wait until they have read it.
    package static let refusedPerLoopMax = 256

    /// Raises the soft limit to the hard one and returns it; nil if the kernel reports no limit.
    package static func raise() -> Int? {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        getrlimit(resource, &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// Returns the possible number of connections, at most the configured one, and logs if it is lower.
    ///
    /// - Parameter isDevelopment: whether fewer connections are enough.
    package static func connections(
        configured: Int,
        descriptors: Int,
        isDevelopment: Bool,
        logger: Logger
    ) -> Int {
        let allowed = connections(configured: configured, descriptors: descriptors)
        if allowed < configured {
            let needed = configured + kept
            logger.log(
                level: isDevelopment ? .info : .warning,
                "fewer connections than limits.connections: the process may not open more descriptors",
                metadata: [
                    "connections": .stringConvertible(allowed),
                    "configured": .stringConvertible(configured),
                    "descriptors": .stringConvertible(descriptors),
                    "advice": """
                    allow \(needed) descriptors, with ulimit -Hn, LimitNOFILE= of systemd or --ulimit \
                    of a container; or lower limits.connections
                    """,
                ]
            )
        }
        return allowed
    }

    package static func connections(configured: Int, descriptors: Int) -> Int {
        min(configured, max(1, descriptors - kept))
    }

    /// Returns the number of refused connections that each loop may hold open.
    package static func refusedPerLoop(connections: Int, descriptors: Int, loops: Int) -> Int {
        precondition(loops > 0)
        let spare = max(keptForRefused, descriptors - kept - connections)
        return min(refusedPerLoopMax, spare / loops)
    }
}

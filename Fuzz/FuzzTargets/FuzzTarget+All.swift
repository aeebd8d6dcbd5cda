// FuzzTargets: what may come of bytes that a stranger sends, as functions that a fuzzer and a test
// call.

import ActivityFuzz
import AuroraFuzz
import FuzzKit
import NewsFuzz
import RadarFuzz

extension FuzzTarget {
    package static let all: [FuzzTarget] =
        httpTargets + addressTargets + tracingTargets + routeTargets + webSocketTargets
        + deflateTargets + handshakeTargets + clientTargets + pubSubTargets + serverAPITargets
        + textTargets
        + tokenTargets + upstreamTargets + auroraTargets + radarTargets + activityTargets
        + newsTargets
}

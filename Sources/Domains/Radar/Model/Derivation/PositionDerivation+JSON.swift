import JSONText

extension PositionDerivation {
    /// One JSON object: the result, the numbers behind it, the bounds they were held against, and the
    /// methods by name.
    package func json() -> [UInt8] {
        var json = JSONWriter()
        json.object { write(to: &$0) }
        return json.bytes
    }

    private func write(to json: inout JSONWriter) {
        json.field("position", position.rawValue)
        json.field("previous", previous.rawValue)
        json.field("heldBy", hold?.rawValue)
        json.field("strength", strength.rawValue)
        json.field("certainty", certainty.rawValue)
        json.field("score", score)
        json.field("weightSum", weightSum)
        json.field("effectiveSampleSize", effectiveSampleSize)
        json.field("expectation", expectation)
        json.field("deviation", deviation)
        json.object("shares") {
            $0.field("for", shares.for)
            $0.field("against", shares.against)
            $0.field("neutral", shares.neutral)
        }
        json.field("disagreement", disagreement)
        writeInterval(to: &json)
        json.object("counts") {
            $0.field("for", counts.for)
            $0.field("against", counts.against)
            $0.field("neutral", counts.neutral)
            $0.field("total", counts.total)
        }
        json.object("noOpinions") { json in
            for (reason, count) in noOpinions.sorted(by: { $0.key < $1.key }) {
                json.field(reason, count)
            }
        }
        json.field("coverage", coverage)
        json.array("providers") { json in
            for provider in providers { json.object { provider.write(to: &$0) } }
        }
        json.object("bounds") { writeBounds(to: &$0) }
        json.object("methods") { PositionDerivation.writeMethods(to: &$0) }
    }

    private func writeInterval(to json: inout JSONWriter) {
        guard let interval = forShareInterval else { return json.null("forShareInterval") }
        json.object("forShareInterval") {
            $0.field("low", interval.low)
            $0.field("high", interval.high)
            $0.field("level", WilsonInterval.level)
        }
    }

    private func writeBounds(to json: inout JSONWriter) {
        json.field("leaningMin", PositionRule.leaningMin)
        json.field("strongMin", PositionRule.strongMin)
        json.field("leaveBelow", PositionRule.leaveBelow)
        json.field("effectiveSampleSizeMin", PositionRule.sampleSizeMin)
        json.field("providerShareMax", providerShareMax)
        json.field("windowDays", RadarLimits.positionWindow.components.seconds / 86_400)
    }

    private static func writeMethods(to json: inout JSONWriter) {
        json.field("score", "linear opinion pool, weight = confidence × trust, providers capped")
        json.field("effectiveSampleSize", "Kish")
        json.field("shares", "Dirichlet-multinomial mean, prior 1/3 each")
        json.field("deviation", "Dirichlet-multinomial")
        json.field("disagreement", "entropy of the shares / ln 3")
        json.field("forShareInterval", "Wilson, unweighted")
        json.field("certainty", "clear when |expectation| > deviation")
    }
}

extension PositionDerivation.ProviderShare {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("provider", provider)
        json.field("opinions", opinions)
        json.field("shareBefore", shareBefore)
        json.field("share", share)
        json.field("factor", factor)
    }
}

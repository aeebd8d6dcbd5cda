extension PositionDerivation {
    /// One JSON object: the result, the numbers behind it, the bounds they were compared with, and
    /// the methods by name.
    ///
    /// - Parameter change: the last change of the radar's position.
    package func json(change: PositionChange? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            writeResult(to: &json)
            json.field("positionChange", change, .iso8601Seconds)
            json.object("reason") { reason.writeTexts(to: &$0) }
            writeNumbers(to: &json)
            json.object("bounds") { writeBounds(to: &$0) }
            json.object("methods") { PositionDerivation.writeMethods(to: &$0) }
        }
        return json.bytes
    }

    private func writeResult(to json: inout JSONWriter) {
        json.field("position", position.rawValue)
        json.field("previous", previous.rawValue)
        json.field("heldBy", hold?.rawValue)
        json.field("strength", strength.rawValue)
        json.field("certainty", certainty.rawValue)
        json.field("probability", probability)
    }

    private func writeNumbers(to json: inout JSONWriter) {
        json.field("score", score)
        json.object("positions") { positions.write(to: &$0) }
        json.field("weightSum", weightSum)
        json.field("effectiveSampleSize", effectiveSampleSize)
        json.field("effectiveProviders", effectiveProviders)
        json.field("expectation", expectation)
        json.field("deviation", deviation)
        json.object("shares") { shares.write(to: &$0) }
        json.field("disagreement", disagreement)
        writeInterval(to: &json)
        writeChangeSince(to: &json)
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
        json.array("voices") { json in
            let shown = voices.sorted { ($1.share, $0.name) < ($0.share, $1.name) }
            for voice in shown.prefix(PositionDerivation.voicesShown) {
                json.object { voice.write(to: &$0) }
            }
        }
    }

    /// The voices that the JSON form has, those with the greatest shares first.
    private static let voicesShown = 100

    private func writeInterval(to json: inout JSONWriter) {
        guard let interval = forShareInterval else { return json.null("forShareInterval") }
        json.object("forShareInterval") {
            $0.field("low", interval.low)
            $0.field("high", interval.high)
            $0.field("level", WilsonInterval.level)
        }
    }

    private func writeChangeSince(to json: inout JSONWriter) {
        guard let changeSince else { return json.null("answersSince") }
        json.object("answersSince") {
            $0.field("date", changeSince.midnight, .iso8601Seconds)
            $0.field("probability", changeSince.probability)
        }
    }

    private func writeBounds(to json: inout JSONWriter) {
        json.field("leaningMin", PositionRule.leaningMin)
        json.field("strongMin", PositionRule.strongMin)
        json.field("sideLeftBelow", PositionRule.sideLeftBelow)
        json.field("neutralLeftBelow", PositionRule.neutralLeftBelow)
        json.field("effectiveSampleSizeMin", PositionRule.sampleSizeMin)
        json.field("clearMin", PositionRule.clearMin)
        json.field("clearProvidersMin", PositionRule.clearProvidersMin)
        json.field("providerShareMax", providerShareMax)
        json.field("windowDays", RadarLimits.positionWindowDays)
    }

    private static func writeMethods(to json: inout JSONWriter) {
        json.field("answersSince", "Bayesian online change-point detection, Dirichlet-multinomial")
        json.field("score", "linear opinion pool of the present answers, providers capped")
        json.field("weights", "answers by Kish's design effect, × freshness × trust × agreement")
        json.field("agreement", "1 - |answer - mean of other providers in the next 7 days| / 2")
        json.field("effectiveSampleSize", "Kish, over providers, their voices and answers")
        json.field("shares", "Dirichlet-multinomial mean, prior 1 each")
        json.field("deviation", "Dirichlet-multinomial")
        json.field("disagreement", "entropy of the shares / ln 3")
        json.field("forShareInterval", "Wilson, unweighted")
        json.field("probability", "of the position under the shares, calibrated by simulation")
    }
}

extension PositionDerivation.Change {
    fileprivate var midnight: Timestamp {
        Timestamp(milliseconds: Int64(dayNumber) * oneDay.wholeMilliseconds)
    }
}

extension StanceTally {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("for", self.for)
        json.field("against", against)
        json.field("neutral", neutral)
    }
}

extension PositionDerivation.ProviderShare {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("provider", provider)
        json.field("opinions", opinions)
        json.field("shareBefore", shareBefore)
        json.field("share", share)
        json.field("factor", factor)
        json.field("evidence", evidence)
    }
}

extension PositionDerivation.Voice {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("name", name)
        json.field("kind", isSource ? "source" : "author")
        json.field("provider", provider)
        json.field("opinions", opinions)
        json.field("replacedOpinions", replacedOpinions)
        json.field("share", share)
        json.field("trust", trust)
        json.object("confidence") {
            $0.field("reported", reportedConfidence)
            $0.field("used", factor)
            $0.field("agreement", agreement)
            $0.field("comparedDays", comparedDays)
        }
    }
}

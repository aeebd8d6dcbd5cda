/// Words of business news that are good or bad for owners. Our own list.
enum SentimentLexicon {
    /// A negation turns the words after it, as far as this many words.
    static let negationReach = 3

    /// The words that decide, in order: their meaning after negations, and their form in the text.
    static func found(in words: [TextWord]) -> [(Opportunity.Kind, String)] {
        let folded = words.map(\.folded)
        return automaton.matches(in: folded).map { match in
            let isPositive = phrases[match.value].isPositive
            let start = max(0, match.range.lowerBound - negationReach)
            let before = (start..<match.range.lowerBound).filter { index in
                // A negation ends with its sentence.
                negations.contains(folded[index])
                    && !words[(index + 1)...match.range.lowerBound].contains(where: \.isFirst)
            }
            let isNegated = !before.count.isMultiple(of: 2)
            let first = before.first ?? match.range.lowerBound
            let text = folded[(isNegated ? first : match.range.lowerBound)..<match.range.upperBound]
            return (isPositive != isNegated ? .positive : .negative, text.joined(separator: " "))
        }
    }

    private static let negations: Set<String> = [
        "not", "no", "never", "without", "fails", "failed", "fail", "cannot", "cant", "isnt",
        "doesnt", "didnt",
        "wont", "wasnt", "arent", "hardly", "neither", "nor", "denies", "denied", "avoids", "avoid",
        "avoided",
        "ends", "less", "end",
    ]

    private static let automaton = WordAutomaton(
        phrases.enumerated().map { index, phrase in
            (TextWord.words(of: phrase.text).map(\.folded), index)
        }
    )

    private static let phrases: [(isPositive: Bool, text: String)] =
        positive.split(separator: ",").map { (true, String($0)) }
        + negative.split(separator: ",").map { (false, String($0)) }

    private static let positive = """
        beat,beats,beating,tops estimates,tops forecasts,tops expectations,above estimates,\
        exceeds,exceeded,outperform,outperforms,surge,surges,surged,soar,soars,soared,jump,jumps,\
        jumped,rally,rallies,rallied,rise,rises,rose,gain,gains,gained,climb,climbs,climbed,\
        record high,record profit,record revenue,record sales,record earnings,all time high,\
        profit up,sales up,growth,grows,grew,strong,stronger,strongest,robust,upgrade,upgrades,\
        upgraded,raises dividend,raises outlook,raises forecast,raises guidance,boosts,boosted,\
        profitable,recovery,recovers,rebound,rebounds,rebounded,wins,won,approval,approves,\
        approved,expands,expansion,breakthrough,optimism,optimistic,bullish,improves,improved,\
        improvement,higher profit,buyback,partnership,innovative,success,successful,upbeat,\
        turnaround,comeback,booming,boom,momentum
        """

    private static let negative = """
        miss,misses,missed,below estimates,below forecasts,below expectations,underperform,\
        underperforms,plunge,plunges,plunged,tumble,tumbles,tumbled,slump,slumps,slumped,sink,\
        sinks,sank,fall,falls,fell,falling,drop,drops,dropped,decline,declines,declined,slide,\
        slides,slid,slip,slips,slipped,loss,losses,loses,lost,weak,weaker,weakest,weakness,\
        downgrade,downgrades,downgraded,cuts outlook,cuts forecast,cuts guidance,lowers outlook,\
        lowers forecast,profit warning,warns,warned,warning,bankruptcy,bankrupt,default,defaults,\
        fraud,lawsuit,lawsuits,sued,sues,fined,probe,investigation,recall,recalls,recalled,\
        layoffs,lays off,job cuts,cuts jobs,resigns,scandal,crisis,recession,shutdown,\
        closes stores,struggles,struggling,struggle,bearish,disappoints,disappointing,\
        disappointed,delays,delayed,suspends,suspended,halts,concerns,worries,fears,writedown,\
        writedowns,worst,hacked,breach,shortage,crash,crashes,selloff,sell off,lower profit,\
        sinking
        """
}

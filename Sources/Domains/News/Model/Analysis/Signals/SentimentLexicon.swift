/// Words that are good or bad for owners, and quantities with their directions. Our own lists.
struct SentimentLexicon: Sendable {
    enum Meaning: Equatable, Sendable {
        /// Good or bad by itself.
        case word(isPositive: Bool)
        /// Whether more of it is good; and whether its bare mention is good or bad.
        case quantity(isGood: Bool, bare: Bool?)
        /// More or less, and whether that decides without a quantity: `Acme falls`.
        case direction(isUp: Bool, isAlone: Bool)
        /// Good, whatever trouble it was about: `wins lawsuit`.
        case victory
        /// It ends, prevents or undoes something.
        case end
        /// More of something good, and the end of something bad.
        case lift
        /// Its direction is neither good nor bad: `raises prices`.
        case subject
        /// Turns the direction before it: `falls less than feared`.
        case turn
    }

    let meanings: [Meaning]
    let automaton: WordAutomaton
    /// Whether a failure of anything is bad.
    let countsFailures: Bool

    private init(countsFailures: Bool, _ lists: [(Meaning, String)]) {
        self.countsFailures = countsFailures
        let phrases = lists.flatMap { meaning, list in
            list.split(separator: ",").map { (meaning, String($0)) }
        }
        meanings = phrases.map(\.0)
        automaton = WordAutomaton(
            phrases.enumerated().map { index, phrase in
                (TextWord.words(of: phrase.1).map(\.folded), index)
            }
        )
    }

    /// Of the news of a company.
    static let company = SentimentLexicon(
        countsFailures: true,
        [
            (.word(isPositive: true), positive), (.word(isPositive: false), negative),
            (.quantity(isGood: true, bare: nil), goodQuantities),
            (.quantity(isGood: true, bare: true), "growth"),
            (.quantity(isGood: false, bare: false), troubles),
            (.quantity(isGood: false, bare: nil), burdens),
            (.direction(isUp: true, isAlone: true), rising),
            (.direction(isUp: false, isAlone: true), falling),
            (.direction(isUp: true, isAlone: false), more),
            (.direction(isUp: false, isAlone: false), less),
            (.subject, subjects), (.victory, "wins,won,win"), (.end, ends),
            (.lift, "lifts,lift,lifted"), (.turn, turns),
        ]
    )

    /// Of the economy. Only its quantities count: deaths and temperatures also rise.
    static let economy = SentimentLexicon(
        countsFailures: false,
        [
            (.quantity(isGood: true, bare: nil), EconomicQuantity.good),
            (.quantity(isGood: false, bare: nil), EconomicQuantity.bad),
            (.quantity(isGood: false, bare: false), EconomicQuantity.troubles),
            (
                .direction(isUp: true, isAlone: false),
                rising + "," + more + "," + EconomicQuantity.up
            ),
            (
                .direction(isUp: false, isAlone: false),
                falling + "," + less + "," + EconomicQuantity.down
            ),
            (.subject, subjects), (.end, ends), (.lift, "lifts,lift,lifted"), (.turn, turns),
        ]
    )

    static let negations: Set<String> = failures.union([
        "not", "no", "never", "without", "cannot", "cant", "isnt", "doesnt", "didnt", "wont",
        "wasnt", "arent", "hardly", "neither", "nor", "denies", "denied", "less",
    ])
    /// Negations that are bad if they turn nothing.
    static let failures: Set<String> = ["fails", "failed", "fail"]

    /// With these, a clause begins.
    static let conjunctions: Set<String> = [
        "after", "although", "amid", "as", "because", "before", "but", "despite", "even", "though",
        "when", "while",
    ]

    static let numbers: Set<String> = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "dozen", "dozens", "twenty", "hundred", "hundreds", "thousand", "thousands",
        "million", "billion",
    ]

    private static let positive = """
        beat,beats,beating,tops estimates,tops forecasts,tops expectations,above estimates,exceeds,\
        exceeded,outperform,outperforms,record high,record profit,record revenue,record sales,\
        record earnings,record number of,record quarter,record season,record summer,record year,all time high,\
        strong,stronger,strongest,robust,upgrade,upgrades,upgraded,profitable,recovery,recover,\
        recovers,recovered,rebound,rebounds,rebounded,approval,approves,approved,expansion,\
        breakthrough,optimism,optimistic,bullish,improve,improves,improved,loses fewer,lost fewer,improvement,partnership,\
        innovative,success,successful,upbeat,turnaround,comeback,booming,boom,momentum,best quarter,\
        best year,best month,reinstates dividend,return cash,returns cash,buyback,first profit,\
        yearly profit,swings to profit,swing to profit,returns to profit,return to profit
        """

    private static let negative = """
        miss,misses,missed,below estimates,below forecasts,below expectations,underperform,\
        underperforms,weak,weaker,weakest,weakness,downgrade,downgrades,downgraded,bankrupt,banned,withdraws forecast,withdraws outlook,withdraws guidance,\
        pulls forecast,pulls outlook,pulls guidance,default,\
        defaults,fined,resigns,recession,closes stores,struggles,struggling,\
        struggle,bearish,disappoints,disappointing,disappointed,delays,delayed,suspends,suspended,\
        halts,halt,halted,concerns,worries,worst,hacked,crash,crashes,selloff,sell off,rout,\
        sales miss,walk out,walks out,walkout,to shut,shuts,shut down,to close stores,idles,ousts,\
        steal data,stolen data,data stolen,exposed,destroys,destroyed,blocked by,swings to loss,\
        swing to loss,swings to a loss,lowest since,low since,record low,record loss,\
        accident,explosion,cuts jobs,lays off,warns,warned,bankruptcy,sued,loses,lost,losing
        """

    /// Good when they grow. Alone they are only subjects.
    private static let goodQuantities = """
        profit,profits,sales,revenue,revenues,earnings,income,margin,margins,demand,orders,\
        subscribers,bookings,deliveries,shipments,traffic,output,outlook,forecast,guidance,dividend,\
        dividends,payout,shares,stock,price target,price targets,market share
        """
    /// Bad when they grow, and by their mention.
    private static let troubles = """
        loss,losses,profit warning,lawsuit,lawsuits,fine,fines,probe,probes,investigation,fraud,\
        strike,strikes,layoffs,job cuts,to strike,outage,outages,crisis,scandal,\
        shutdown,dispute,shortage,shortages,breach,writedown,\
        writedowns,warning,fears,bribery charges,fraud charges,criminal charges,case against,ban,\
        recall,recalls,recalled,recalling
        """
    /// Bad when they grow.
    private static let burdens = "cost,costs,debt,debts,expenses,claims,complaints,bad loans"

    private static let rising = """
        surge,surges,surged,soar,soars,soared,jump,jumps,jumped,rally,rallies,rallied,rise,rises,\
        rose,rising,gain,gains,gained,climb,climbs,climbed,grows,grew,boosts,boosted,expands
        """
    private static let falling = """
        plunge,plunges,plunged,tumble,tumbles,tumbled,slump,slumps,slumped,sink,sinks,sank,sinking,\
        fall,falls,fell,falling,drop,drops,dropped,decline,declines,declined,slide,slides,slid,slip,\
        slips,slipped
        """
    private static let more = """
        raises,raise,raised,record,increases,increased,increase,doubles,doubled,double,triples,\
        tripled,widens,widened,widen,deepens,deepened,deeper,grow,higher,bigger,up,accelerates,swells,mount,mounts,\
        hikes
        """
    private static let less = """
        cuts,cut,lowers,lowered,reduces,reduced,trims,trimmed,slashes,slashed,narrows,narrowed,\
        narrow,shrinks,shrank,shrink,slows,slowed,slow,slowing,stalls,stalled,halves,halved,eases,\
        eased,smaller,lower,down,pays down,slower,fewer,dwindles,weakens,weakened,scraps,omits,axes
        """
    private static let ends = """
        ends,end,ended,avoids,avoid,avoided,averts,averted,avert,escapes,escaped,escape,cleared of,\
        dismissed,dismisses,throws out,thrown out,tosses,called off,closed without,no longer,resolves,\
        resolved,withdrawn,dodges,give up,gives up,erases,erase,pares,pare,wipes out,wipe out,recoups,recoup,is over,overturned,overturns
        """
    private static let subjects = """
        interest rates,rates,price,prices,fee,fees,jobs,staff,wage,pay,tax,taxes,tariffs,stake,\
        capital,money,funds,awareness,unemployment benefits,unemployment benefit,\
        unemployment insurance,economy class,investment advice
        """
    private static let turns = """
        less than expected,less than feared,less than forecast,less than estimated,\
        smaller than expected,smaller than feared,smaller than forecast,slower than expected,\
        slower than feared,slower than forecast
        """
}

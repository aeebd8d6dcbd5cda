/// Words and phrases that name an event. Those in `strong` count twice.
enum EventLexicon {
    /// The number of characters of a text that are read: news begin with their subject.
    static let textLengthMax = 2_000

    static let meanings: [(kind: RelevanceType, strength: Int)] = phrases.map {
        ($0.kind, $0.strength)
    }
    static let automaton = WordAutomaton(
        phrases.enumerated().map { index, phrase in
            (TextWord.words(of: phrase.text).map(\.folded), index)
        }
    )

    private static let phrases: [(kind: RelevanceType, strength: Int, text: String)] =
        (strong.map { ($0, 2, $1) } + weak.map { ($0, 1, $1) }).flatMap { kind, strength, list in
            list.split(separator: ",").map { (kind, strength, String($0)) }
        }

    private static let strong: [(RelevanceType, String)] = [
        (
            .earnings,
            """
            earnings,quarterly results,quarterly profit,quarterly loss,net income,eps,\
            earnings per share,first quarter,second quarter,third quarter,fourth quarter,q1,q2,q3,\
            q4,1q,2q,3q,4q,quarterly revenue,results beat,full year results,same store sales,\
            comparable sales,same restaurant sales,operating profit
            """
        ),
        (
            .guidance,
            """
            guidance,profit warning,warns on profit,raises forecast,cuts forecast,lowers forecast,\
            raises outlook,cuts outlook,lowers outlook,weak forecast,profit forecast,\
            sales forecast,revenue forecast,weak outlook,full year outlook,withdraws outlook,\
            forecast disappoints,reaffirms,price target
            """
        ),
        (
            .merger,
            """
            merger,mergers,acquisition,acquires,acquire,acquired by,takeover,buyout,to buy,\
            to merge,merge,tender offer,hostile bid,takeover bid,spin off,spinoff,divests,\
            divestiture,merges,agrees to buy,buying,stake in,buys
            """
        ),
        (
            .legal,
            """
            lawsuit,lawsuits,sues,sued,court,judge,jury,settlement,settles,antitrust,indicted,\
            indictment,fined,bankruptcy,chapter 11,class action,subpoena,probe,investigation,\
            fraud,convicted,verdict,patent case,regulators allege,files suit,guilty,lawsuit over,\
            insider trading
            """
        ),
        (
            .product,
            """
            unveils,launches,launch,recall,recalls,recalled,recalling,new product,product line,\
            new model,fda approves,fda approval,release date,rolls out,introduces,debuts,\
            new version,prototype,goes on sale
            """
        ),
        (
            .dividend,
            """
            dividend,dividends,buyback,buybacks,share repurchase,stock repurchase,\
            special dividend,payout to shareholders,stock split,share split,ex dividend,\
            quarterly dividend
            """
        ),
        (
            .macro,
            """
            fed,federal reserve,ecb,boj,boe,central bank,bank of england,bank of japan,inflation,\
            deflation,interest rate,interest rates,rate hike,rate cut,unemployment,jobless claims,\
            payrolls,gdp,recession,trade deficit,trade surplus,consumer prices,tapering,\
            monetary policy,job openings,fiscal policy,oecd,imf,stimulus,quantitative easing,\
            economic growth,global economy,emerging markets,emerging economies
            """
        ),
    ]

    private static let weak: [(RelevanceType, String)] = [
        (
            .earnings,
            "profit,profits,revenue,results,estimates,sales,loss,losses,beats,misses,quarter"
        ),
        (.guidance, "forecast,outlook,expects,warns,projects,sees"),
        (.merger, "deal,bid,offer,merging,rival bid,stake"),
        (
            .legal,
            "charges,claims,appeal,ruling,lawyers,penalty,sanctions,violations,trial,regulators"
        ),
        (.product, "new,device,app,feature,features,upgrade,version,model,phone,innovative"),
        (.dividend, "payout,shareholders,repurchase,yield"),
        (
            .macro,
            """
            economy,economic,exports,imports,jobs,hiring,currency,euro,dollar,yuan,bonds,treasuries,\
            oil
            """
        ),
    ]
}

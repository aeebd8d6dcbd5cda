/// Words and phrases that name an event. Those in `strong` count twice.
enum EventLexicon {
    /// The number of characters of a text that are read: news begin with their subject.
    static let textLengthMax = 2_000

    /// Without a company, a text needs a phrase of `strong` in its title, or as much of others: one
    /// word, such as `oil` or `jobs`, has many meanings.
    static let weightMinWithoutCompany = 4

    static let meanings: [(kind: RelevanceType, strength: Int)] = phrases.map {
        ($0.kind, $0.strength)
    }
    static let automaton = WordAutomaton(
        phrases.enumerated().map { index, phrase in
            (TextWord.words(of: phrase.text).map(\.folded), index)
        }
    )

    /// Whether a name among the phrases has its capital letter: the `Fed`, not bears that are fed.
    static func isWritten(_ words: ArraySlice<TextWord>) -> Bool {
        guard words.count == 1, let word = words.first, names.contains(word.folded) else {
            return true
        }
        return word.hasUppercase
    }

    private static let names: Set<String> = ["fed", "ecb", "boj", "boe", "oecd", "imf"]

    private static let phrases: [(kind: RelevanceType, strength: Int, text: String)] =
        (strong.map { ($0, 2, $1) } + weak.map { ($0, 1, $1) }
        + [(.general, 0, otherMeanings), (.macro, 2, EconomicQuantity.certain)])
        .flatMap { kind, strength, list in
            list.split(separator: ",").map { (kind, strength, String($0)) }
        }

    /// Phrases in which the words below name no event of business.
    private static let otherMeanings = """
        fed up,fed by,fed on,fed to,fed with,well fed,tennis court,basketball court,squash court,\
        food court,court jester,judge of,judges of,judge at,jury prize,jury award,jury duty,latin quarter,\
        quarter of,quarter final,quarter finals,upgraded to buy,rated buy,euro final,olive oil,palm oil,\
        cooking oil,oil painting,oil paintings,oil spill,oil on canvas,dollar bill,free trial,\
        trial and error,trial run,first quarter ends,new year,new york,bonds between,steve jobs
        """

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
            forecast disappoints,reaffirms,price target,price targets,expects,forecasts,warns of,\
            warns on,lifts outlook,lifts forecast,keeps outlook,keeps forecast,expects a loss,\
            expects a profit,profit warnings
            """
        ),
        (
            .merger,
            """
            merger,mergers,acquisition,acquires,acquire,acquired by,takeover,buyout,to buy,\
            to merge,merge,merger talks,spins off,spin offs,purchase of,sells its,tender offer,hostile bid,takeover bid,spin off,spinoff,divests,\
            divestiture,merges,agrees to buy,buying,stake in,buys
            """
        ),
        (
            .legal,
            """
            lawsuit,lawsuits,sue,sues,sued,suing,suit,suits,court,courts,judge,jury,settlement,settles,antitrust,indicted,\
            indictment,fined,bankruptcy,chapter 11,class action,subpoena,probe,investigation,\
            fraud,convicted,verdict,patent case,regulators allege,files suit,guilty,lawsuit over,\
            insider trading,patent fight,patent dispute,patent row,patent suit,on trial,\
            goes on trial,murder trial,fraud trial,jury trial,faces charges,fraud charges,bribery charges,\
            criminal charges,charges dropped,record fine,fine over,fine for,escapes fine,fights fine,\
            throws out case,case against,pleads guilty,ordered to pay
            """
        ),
        (
            .product,
            """
            unveils,launches,launch,recall,recalls,recalled,recalling,new product,product line,\
            new model,fda approves,fda approval,release date,rolls out,introduces,debuts,\
            new version,prototype,goes on sale,clinical trial,clinical trials,drug trial,late trial,\
            late stage trial,vaccine trial,drops study,wins approval,regulator approves,regulator rejects,\
            brings back
            """
        ),
        (
            .dividend,
            """
            dividend,dividends,buyback,buybacks,share repurchase,stock repurchase,\
            special dividend,payout to shareholders,stock split,share split,ex dividend,\
            quarterly dividend,splits its stock,splits stock,splits shares,return cash,returns cash,\
            raises payout,cuts payout
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
            """
            appeal,appeals,ruling,lawyers,penalty,sanctions,violations,regulators,patent,\
            patents,fine,fines,jail,prosecutors
            """
        ),
        (
            .product,
            """
            new,device,app,feature,features,upgrade,version,model,phone,innovative,drug,drugs,pill,\
            vaccine,medicine
            """
        ),
        (.dividend, "payout,shareholders,repurchase,yield"),
        (
            .macro,
            """
            economy,economic,exports,imports,currency,euro,dollar,yuan,bonds,treasuries,\
            oil
            """
        ),
    ]
}

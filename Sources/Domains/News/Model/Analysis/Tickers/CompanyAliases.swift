/// Names that news use and that the table of the Securities and Exchange Commission does not have,
/// or has only with context. Written by hand.
enum CompanyAliases {
    static let rows = """
        AAPL=~apple=apple inc;GOOGL=google=alphabet inc=~alphabet;\
        META=facebook=~meta=meta platforms;AMZN=~amazon=amazon.com;MSFT=microsoft;NVDA=nvidia;\
        TSLA=^tesla;BRKB=berkshire hathaway=~berkshire;GM=~gm=general motors;F=~ford=ford motor;\
        V=~visa;TGT=~target;GAP=~gap;M=macy's;T=at&t;IBM=ibm=international business machines;\
        GE=~ge=general electric;HPQ=hewlett-packard=~hp;HPE=hewlett packard enterprise;\
        BAC=bank of america=bofa;JPM=jpmorgan=^jp morgan=jpmorgan chase=~chase;\
        C=citigroup=~citi=citibank;WFC=wells fargo;GS=goldman sachs=~goldman;MS=morgan stanley;\
        AXP=american express=amex;MCD=mcdonald's=mcdonalds;SBUX=starbucks;KO=coca-cola=^coke;\
        PEP=pepsico=pepsi;PG=procter & gamble=procter and gamble;JNJ=johnson & johnson=j&j;\
        MRK=merck;LLY=^eli lilly=~lilly;BMY=bristol-myers squibb=bristol-myers;\
        GSK=glaxosmithkline=glaxo=gsk;AZN=astrazeneca;ABBV=abbvie;\
        WMT=walmart=wal-mart=~wal mart;COST=costco;HD=home depot;LOW=lowe's;BBY=~best buy;\
        JWN=nordstrom;KSS=kohl's;DDS=dillard's;ANF=abercrombie & fitch=abercrombie;\
        AEO=american eagle outfitters;DKS=dick's sporting goods=dick's sporting;\
        URBN=urban outfitters;DAL=delta air lines=~delta;\
        UAL=united airlines=united continental=~united;AAL=american airlines;\
        LUV=southwest airlines=~southwest;JBLU=jetblue;ALK=alaska airlines;BA=boeing;\
        LMT=lockheed martin=lockheed;NOC=northrop grumman=northrop;RTX=raytheon;\
        GD=general dynamics;CAT=~caterpillar=caterpillar inc;DE=~deere=^john deere;MMM=~3m;\
        HON=honeywell;EMR=^emerson electric;XOM=exxon mobil=exxonmobil=exxon;\
        CVX=~chevron=chevron corp;COP=conocophillips;SHEL=royal dutch shell=~shell;BP=^bp;\
        TTE=totalenergies;EQNR=equinor;OXY=occidental petroleum=~occidental;\
        DIS=^walt disney=^disney;CMCSA=comcast=nbcuniversal;\
        WBD=warner bros discovery=warner bros. discovery;NFLX=netflix;PARA=~paramount;SONY=sony;\
        FOXA=~fox=twenty-first century fox=21st century fox;ORCL=~oracle=oracle corp;\
        CRM=salesforce=salesforce.com;ADBE=~adobe=adobe systems=adobe inc;INTC=^intel;\
        AMD=advanced micro devices=amd;QCOM=qualcomm;MU=~micron;TXN=texas instruments;\
        AVGO=broadcom;TSM=taiwan semiconductor=tsmc;ASML=asml;BABA=alibaba;BIDU=baidu;JD=jd.com;\
        PDD=pinduoduo;TM=toyota;HMC=honda;STLA=stellantis=fiat chrysler;RACE=^ferrari;\
        RIVN=rivian;LCID=lucid motors=lucid group;UPS=^ups=united parcel service;FDX=fedex;\
        UNP=union pacific;CSX=csx;NSC=norfolk southern;PFE=pfizer;\
        UNH=unitedhealth=unitedhealth group;CVS=cvs health=cvs;CI=cigna;HUM=humana;\
        ELV=elevance health;EBAY=ebay;PYPL=paypal;ETSY=etsy;UBER=uber;LYFT=lyft;ABNB=airbnb;\
        DASH=doordash;SPOT=spotify;SNAP=snapchat=~snap;PINS=pinterest;ROKU=roku;\
        ZM=zoom video=~zoom;SHOP=shopify;XYZ=block inc=~block;COIN=coinbase;\
        HOOD=robinhood markets=~robinhood;PLTR=palantir;NWG=natwest=royal bank of scotland=rbs;\
        BCS=barclays;HSBC=hsbc;DB=deutsche bank;UBS=ubs=credit suisse;\
        LYG=lloyds banking group=~lloyds;FNMA=fannie mae=~fannie;FMCC=freddie mac=~freddie;\
        DOLE=dole food=~dole;HLF=herbalife;VIRT=virtu;\
        YUM=yum brands=yum! brands;CMG=chipotle=chipotle mexican grill;\
        DPZ=domino's pizza=domino's;PZZA=papa john's;WEN=wendy's;QSR=restaurant brands;\
        TAP=molson coors;BUD=anheuser-busch=ab inbev=anheuser-busch inbev;MO=altria;\
        PM=^philip morris;KHC=kraft heinz;GIS=general mills;MDLZ=mondelez;HSY=^hershey;\
        TSN=tyson foods;NDAQ=nasdaq inc;DOW=dow chemical=dow inc;LYB=lyondellbasell;\
        FCX=freeport-mcmoran=^freeport;NEM=newmont;BHP=bhp billiton=bhp;RIO=rio tinto;VALE=~vale;\
        NKE=^nike;LULU=lululemon;RL=^ralph lauren;PVH=pvh;TPR=~tapestry;EL=^estee lauder;\
        CL=colgate-palmolive;KMB=kimberly-clark;BLK=blackrock;BX=blackstone;KKR=kkr;\
        STT=^state street;\
        SCHW=^charles schwab=~schwab;MET=metlife;AIG=aig=american international group;\
        PRU=prudential financial;ALL=allstate;PGR=progressive corp=~progressive;TRV=~travelers;\
        SPGI=standard & poor's=~s&p global;MCO=moody's;\
        NYT=new york times co=new york times company;TMUS=t-mobile=t-mobile us;VZ=verizon;\
        CHTR=charter communications;SIRI=sirius xm;DISH=dish network;NOK=nokia;ERIC=ericsson;\
        BB=~blackberry;SAP=^sap;NVS=novartis;SNY=sanofi;NVO=novo nordisk;\
        DELL=dell technologies=~dell;CSCO=cisco=cisco systems;MRNA=^moderna;BIIB=biogen;\
        GILD=gilead sciences;AMGN=amgen;REGN=regeneron;TEVA=teva;ISRG=intuitive surgical;\
        EXPE=expedia;BKNG=booking holdings=~booking;MAR=marriott;HLT=~hilton;\
        CCL=~carnival=carnival corp;RCL=royal caribbean;NCLH=norwegian cruise line;\
        LVS=las vegas sands;WYNN=wynn resorts;MGM=mgm resorts;GME=gamestop;\
        AMC=amc entertainment;KR=kroger;WBA=walgreens;HOG=harley-davidson;HTZ=^hertz;
        """

    /// Names that people, places, things or headlines in capital letters also have. They take the
    /// place of the same names of the generated rows. Names that only a company can have,
    /// such as Morgan Stanley, are not in the list: a title with one of them and without a word about
    /// business still names the company.
    static let namesakes = """
        HHH=^howard hughes;HSIC=^henry schein;SHW=^sherwin williams;AJG=^arthur j gallagher;\
        SHOO=^steven madden=^steve madden;KW=^kennedy wilson;RHI=^robert half;\
        DEI=^douglas emmett;HLNE=^hamilton lane;CW=^curtiss wright;LEVI=^levi strauss;\
        COOP=^mr cooper;ZGN=^ermenegildo zegna;HELE=^helen of troy;UAA=^under armour;\
        GOOS=^canada goose;CHDN=^churchill downs;JOE=^st joe;SKYH=^sky harbour;SHCO=^soho house;\
        MBUU=^malibu boats;LECO=^lincoln electric;LNC=^lincoln national;\
        AIN=^albany international;HG=^hamilton insurance;JXN=^jackson financial;\
        CPK=^chesapeake utilities;MANH=^manhattan associates;VLGEA=^village super market;\
        NJR=^new jersey resources;CRC=^california resources;NYMT=^new york mortgage;\
        NOA=^north american construction;LAR=^lithium argentina;EGO=^eldorado gold;\
        PAAS=^pan american silver;DVN=^devon energy;FSLR=^first solar;CSIQ=^canadian solar;\
        FHB=^first hawaiian;AAT=^american assets;AFG=^american financial;\
        AIG=^american international;AMT=^american tower;APEI=^american public education;\
        LOPE=^grand canyon education;USAR=^usa rare earth;FMX=^mexican economic development;\
        IP=^international paper;EA=^electronic arts;TNL=^travel & leisure;LNW=^light & wonder;\
        NOG=^northern oil & gas;CLNE=^clean energy fuels;UHS=^universal health services;\
        SAM=^boston beer;GETY=^getty images;AEO=^american eagle;ALK=^alaska air;\
        GILD=^gilead;MTCH=^match group;DD=^dupont;
        """
}

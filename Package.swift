// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// A module, and its tests in the folder of the same name under Tests/.
struct Module {
    var name: String
    /// The names of `dependencies(_:)`.
    var uses: String
    /// What its tests use besides; nil if it has none of its own.
    var tests: String?

    /// A row of `modules`.
    init(_ row: Substring) {
        let fields = row.split(separator: "|", omittingEmptySubsequences: false).map { field in
            field.split(separator: " ").map { shared[String($0)] ?? String($0) }.joined(
                separator: " "
            )
        }
        (name, uses) = (fields[0], fields[1])
        tests = fields[2] == "-" ? nil : fields[2]
    }

    /// Under Sources/. `Aurora` is Domains/Aurora/Model, and `AuroraApp` is Domains/Aurora/App.
    var folder: String {
        if doors.contains(name) { return "Doors/\(name)" }
        guard let domain = domains.first(where: name.hasPrefix) else { return name }
        return
            "Domains/\(domain)/\(name == domain ? "Model" : String(name.dropFirst(domain.count)))"
    }

    /// What a hub without domains is made of. Only the command line links the others.
    var isOfHub: Bool {
        !["CommandKit", "Replay"].contains(name)
            && !["Domains", "Doors"].contains(where: folder.contains)
    }
}

let (domains, doors) = (["Aurora", "Radar", "Activity", "News"], ["Hooks", "Lifecycle"])

/// The products of other packages, by the names of lists.
let products: [String: Target.Dependency] = [
    "argumentParser": .product(name: "ArgumentParser", package: "swift-argument-parser"),
    "deque": .product(name: "DequeModule", package: "swift-collections"),
    "grdb": .product(name: "GRDB", package: "GRDB.swift"),
    "heap": .product(name: "HeapModule", package: "swift-collections"),
    "histogram": .product(name: "Histogram", package: "hdrhistogram-swift"),
    "logging": .product(name: "Logging", package: "swift-log"),
    // Of the histogram; named, so that its version is pinned, too.
    "numerics": .product(name: "Numerics", package: "swift-numerics"),
    "protobuf": .product(name: "SwiftProtobuf", package: "swift-protobuf"),
    "sqlite": .product(name: "GRDBSQLite", package: "GRDB.swift"),
    "yams": .product(name: "Yams", package: "Yams"),
]

/// Targets of this package and products of others, from their names with spaces between them.
func dependencies(_ names: String) -> [Target.Dependency] {
    names.split(separator: " ").map { products[String($0)] ?? .byName(name: String($0)) }
}

/// Parts of a hub, and hubs, for tests.
let hubTesting = "ConfigurationTesting HubTesting LoopTesting StoreTesting TokenTesting"

/// Short for several names in a row of a table.
let shared = ["+hub": hubTesting]

func table(_ text: String) -> [Module] { text.split(separator: "\n").map(Module.init) }

/// Module, what it uses, and what its tests use besides; `-` if it has none of its own. The order is the order of the
/// layers in docs/ARCHITECTURE.md.
let modules = table(
    """
    Base | COpenSSL COpenSSLSetup heap | ZoneTesting
    Wire | Base CZlib |
    Topics | Base deque |
    ClientWire | Base Topics heap protobuf |
    Core | Base COpenSSL Topics deque heap | ZoneTesting
    Aurora | Base Core Topics | ZoneTesting
    Radar | Base CTables Core Topics heap | TitleTesting
    Activity | Base Topics | Core TasteTesting
    News | Base CTables Core Topics | TitleTesting ZoneTesting
    NewsFeeds | Base CLibXML CTables News |
    Replay | Base Wire yams |
    Reactor | Base CLinux COpenSSL COpenSSLSetup heap | TLSTesting
    Store | Base CZlib Topics grdb sqlite | PostgresTesting StoreTesting
    Upstream | Base CZlib Reactor Wire heap | CLinux COpenSSL TLSTesting
    Configuration | Base Core Topics Upstream Wire yams | ConfigurationTesting ZoneTesting
    Service | Base ClientWire Configuration Core Reactor Store Topics Upstream Wire logging | +hub Loops
    Loops | Base ClientWire Configuration Core Reactor Service Store Topics Wire deque logging | +hub
    Duties | Base Configuration Core Reactor Service Store Topics Upstream Wire logging yams | +hub Loops
    API | Base CConsole CDocuments CZlib ClientWire Configuration Core Duties Service Topics Loops Store Wire \
        logging | +hub Reactor
    DomainKit | ClientWire Configuration Duties Loops Reactor Service Upstream logging | -
    AuroraApp | Aurora DomainKit | +hub AuroraTools Replay
    RadarApp | DomainKit Radar | +hub
    ActivityApp | Activity DomainKit | +hub
    NewsApp | DomainKit News NewsFeeds | +hub
    Hooks | DomainKit | +hub Hub
    Lifecycle | DomainKit | +hub Hub
    CommandKit | Base Configuration DomainKit Duties Replay Topics argumentParser | -
    AuroraTools | Aurora AuroraApp Base CommandKit Configuration Core Duties Replay Topics Wire argumentParser |
    RadarTools | Base CommandKit Radar RadarApp argumentParser |
    ActivityTools | Activity ActivityApp Base CommandKit DomainKit Hub argumentParser | Service Store
    NewsTools | Base CommandKit News NewsApp Replay Wire argumentParser | NewsFeeds
    AllDomains | ActivityApp ActivityTools AuroraApp AuroraTools CommandKit DomainKit Hooks Lifecycle NewsTools RadarTools | \
        Configuration ConfigurationTesting RadarApp yams
    """
)

/// The fuzz targets of the domains. They build without the heavy packages, and no program links them.
let fuzzModules = table(
    """
    AuroraFuzz | Aurora Base FuzzKit | -
    RadarFuzz | Base Core Radar FuzzKit | -
    ActivityFuzz | Activity Base Core FuzzKit | -
    NewsFuzz | News NewsFeeds FuzzKit | -
    """
)

func names(_ modules: [Module]) -> String { modules.map(\.name).joined(separator: " ") }

/// The modules that read what strangers send, and that build without the heavy packages.
let fuzzed =
    "Base CZlib ClientWire Core FuzzKit Topics SeededRandom Upstream Wire " + names(fuzzModules)

let (all, ofHub) = (names(modules), names(modules.filter(\.isOfHub)))

/// lld links in a second what takes the default linker a minute, and knows the packed relocations that
/// spare every start 3 MB. Without its unused exports the program is 10 MB smaller in memory. With all symbols
/// bound at the start (`-z now`) the table of their addresses is read-only: docs/DECISIONS/007-linking.md.
let linking: [LinkerSetting] = [
    .unsafeFlags([
        "-use-ld=lld", "-Xlinker", "--icf=safe", "-Xlinker", "-z", "-Xlinker",
        "pack-relative-relocs", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker",
        "now",
    ])
]

/// `make fuzz` sets it: every module of ours is then instrumented, so the products of such a build are
/// for fuzzing only and have a scratch path of their own (Fuzz/run.sh).
let isFuzzing = Context.environment["VARDE_FUZZ"] != nil
let fuzzSanitizers = "-sanitize=fuzzer,address"

/// Fuzzed are optimised programs, which keep their preconditions; the assertions are switched on again.
let settings: [SwiftSetting] =
    [.enableUpcomingFeature("ExistentialAny")]
    + (isFuzzing
        ? [.unsafeFlags(["-parse-as-library", fuzzSanitizers, "-assert-config", "Debug"])] : [])

/// Data, pages and tests in other languages, which are in the folders of targets and are not compiled.
func excluded(in folder: String) -> [String] {
    """
    Acceptance Bells/openapi.json Centrifuge/Protobuf/centrifuge.proto Corpus Dictionaries Fixtures README.md \
    Tokens/Vectors Toys/openapi.json bench corpus floor make_zones.py page.css page.html page.js section.yaml tables \
    zones.json
    """.split(separator: " ").map(String.init).filter {
        FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/\(folder)/\($0)")
    }
}

func target(_ name: String, uses: String = "", path: String, links: Bool = false) -> Target {
    .target(
        name: name,
        dependencies: dependencies(uses),
        path: path,
        exclude: excluded(in: path),
        swiftSettings: settings,
        linkerSettings: links ? linking : nil
    )
}

/// What tests share.
func helper(_ name: String, uses: String = "") -> Target {
    target(name, uses: uses, path: "Tests/\(name)")
}

/// By default in the folder of what they test.
func tests(_ name: String, uses: String = "", path: String? = nil) -> Target {
    let path = path ?? "Tests/\(name.dropLast("Tests".count))"
    return .testTarget(
        name: name,
        dependencies: dependencies("Expectations " + uses),
        path: path,
        exclude: excluded(in: path),
        swiftSettings: settings
    )
}

func program(_ name: String, uses: String, path: String? = nil) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies(uses),
        path: path,
        exclude: path.map(excluded) ?? [],
        swiftSettings: settings,
        linkerSettings: linking
    )
}

/// The app of a domain's contract, which shares nothing with the hub.
func contractApp(_ domain: String, command: String, tests others: String = "") -> [Target] {
    let app = "\(domain)ContractApp"
    let folder = "Tests/\(domain)Contract"
    return [
        target(app, path: folder + "/App"),
        program(command, uses: app, path: folder + "/Command"),
        tests("\(domain)ContractTests", uses: "\(app) \(others)", path: folder + "/Tests"),
    ]
}

/// A library of Debian's.
func system(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(
        name: name,
        path: "Sources/System/\(name)",
        pkgConfig: pkgConfig,
        providers: [.apt([package])]
    )
}

func shim(_ name: String, uses: String = "") -> Target {
    let path = "Sources/System/\(name)"
    return .target(
        name: name,
        dependencies: dependencies(uses),
        path: path,
        exclude: excluded(in: path)
    )
}

let package = Package(
    name: "varde",
    products: [
        .executable(name: "varde", targets: ["varde"]),
        .executable(name: "varde-load", targets: ["varde-load"]),
    ],
    // Exact, the transitive one as well: two builds of one commit have the same code.
    dependencies: [
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-numerics", exact: "1.1.1"),
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        system("COpenSSL", pkgConfig: "openssl", package: "libssl-dev"),
        system("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        system("CLibXML", pkgConfig: "libxml-2.0", package: "libxml2-dev"),
        // Linked into every program that uses COpenSSL, through Base or Reactor.
        shim("COpenSSLSetup", uses: "COpenSSL"),
        target("Hub", uses: ofHub + " CLinux logging yams", path: "Sources/Hub", links: true),
        program("varde", uses: all + " CLinux CNotices Hub argumentParser logging"),
        // The wire modules and the loop, and nothing of the server, with which it has to be able to disagree.
        program(
            "varde-load",
            uses: "Base Reactor Wire argumentParser histogram numerics",
            path: "loadtest"
        ),
        tests("LoadTestTests", uses: "varde-load Base Reactor Wire"),
        tests(
            "HubTests",
            uses: "\(all) \(hubTesting) Hub PostgresTesting Repository SeededRandom logging"
        ),
        tests(
            "VardeTests",
            uses: all + " Hub PostgresTesting LoopTesting varde argumentParser logging",
            path: "Tests/varde"
        ),
        // A domain and a door that are folders of the tests, and a hub that has no others.
        tests("DomainKitTests", uses: "\(ofHub) \(hubTesting) Hub Repository logging"),
        tests("LayersTests"),
        target("ConformanceCases", uses: "Wire", path: "Tests/Conformance/Cases"),
        program(
            "conformance-client",
            uses: "ConformanceCases Wire",
            path: "Tests/Conformance/Client"
        ),
        tests("ConformanceTests", uses: "ConformanceCases Wire", path: "Tests/Conformance/Tests"),
        target("Expectations", path: "Tests/Expectations"),
        helper("SeededRandom"),
        helper("Repository"),
        .target(name: "CWorkCount", path: "Tests/CWorkCount"),
        helper("ConfigurationTesting", uses: "Configuration"),
        helper("TasteTesting", uses: "Activity Base SeededRandom"),
        // Labelled titles and topics, with the precision and recall of what is found in them.
        helper("TitleTesting", uses: "Repository"),
        // Zone files, and what another implementation makes of them.
        helper("ZoneTesting", uses: "Base"),
        helper("TokenTesting", uses: "Base Core Repository Topics"),
        helper("HubTesting", uses: "Core Expectations Service Store StoreTesting Wire logging"),
        helper(
            "LoopTesting",
            uses: "Base CLinux CWorkCount ClientWire Configuration ConfigurationTesting Core "
                + "Expectations HubTesting Topics Reactor Service Loops Store Wire logging"
        ),
        // Stores of tests. It sees what is internal to the store, so it builds for tests only.
        helper("StoreTesting", uses: "Base Expectations Store Topics grdb sqlite"),
        helper("PostgresTesting", uses: "Expectations Store"),
        // Certificates for tests, of authorities that live as long as the test.
        helper("TLSTesting", uses: "COpenSSL"),
        // The client of outgoing requests against independent servers: Tests/Acceptance.
        program(
            "upstream-check",
            uses: "Base Reactor SeededRandom Upstream Wire",
            path: "Tests/UpstreamServers/Command"
        ),
        // The hub itself in a simulated world: docs/SIMULATION.md.
        target(
            "Simulation",
            uses: ofHub + " CLinux Hub SeededRandom logging",
            path: "Tests/Simulation/World"
        ),
        program("simulate", uses: "Simulation", path: "Tests/Simulation/Simulate"),
        tests(
            "SimulationTests",
            uses: "Base Hub Loops Simulation Store Topics",
            path: "Tests/Simulation/Tests"
        ),
        target("FuzzKit", uses: "SeededRandom", path: "Fuzz/FuzzKit"),
        target("FuzzTargets", uses: fuzzed, path: "Fuzz/FuzzTargets"),
        tests("FuzzTests", uses: "FuzzKit FuzzTargets"),
    ]
)

package.targets += ["CConsole", "CDocuments", "CLinux", "CNotices", "CTableFiles"].map { shim($0) }
// Swift modules use the names of the tables, and only programs their texts.
package.targets.append(shim("CTables", uses: "CTableFiles"))
package.targets += contractApp("Radar", command: "radar-app")
package.targets += contractApp("News", command: "news-app", tests: "Base News")
package.targets += contractApp("Activity", command: "activity-app")

for module in modules + fuzzModules {
    package.targets.append(target(module.name, uses: module.uses, path: "Sources/\(module.folder)"))
    guard let others = module.tests else { continue }
    let uses = "\(module.name) Repository SeededRandom \(module.uses) \(others)"
    package.targets.append(tests(module.name + "Tests", uses: uses))
}

if isFuzzing {
    package.products.append(.executable(name: "varde-fuzz", targets: ["varde-fuzz"]))
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Fuzz/CLibFuzzer"),
        .executableTarget(
            name: "varde-fuzz",
            dependencies: ["CLibFuzzer", "FuzzKit", "FuzzTargets"],
            path: "Fuzz/FuzzRunner",
            swiftSettings: settings,
            // gold, the default linker, fails on the fuzzer's sections.
            linkerSettings: [.unsafeFlags([fuzzSanitizers, "-use-ld=lld"])]
        ),
    ]
}

/// The modules whose tests gain more time by optimisation than it costs: docs/DECISIONS/044-complete-builds.md.
let optimised = """
    Aurora AuroraApp Base ConformanceCases News Radar SeededRandom Simulation Wire
    """.split(separator: " ").map(String.init)

/// Debug builds optimise them as well. Assertions, the checks of overflows and of
/// exclusive access remain. A debugger sees fewer of their variables: VARDE_UNOPTIMISED=1 leaves them as they are.
let isOptimising = Context.environment["VARDE_UNOPTIMISED"] == nil
for target in package.targets where isOptimising && optimised.contains(target.name) {
    target.swiftSettings =
        settings + [
            .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
        ]
}

/// What runs once, at a start or for one command. A release build does not optimise it: that takes a third of the
/// time, and makes it smaller.
let runOnce: Set = ["CommandKit", "Configuration", "Replay", "varde"]
for target in package.targets where runOnce.contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? settings) + [
            .unsafeFlags(["-Onone"], .when(configuration: .release))
        ]
}

/// Names of test targets; `make test FILTER=TARGET.…` sets one. Everything that they do not use is left out of the
/// package. The remaining targets have the same commands as in a full build, so both share one scratch path.
if let names = Context.environment["VARDE_TESTS"] {
    var used: Set<String> = []
    var waiting = names.split(separator: " ").map(String.init)
    while let next = waiting.popLast() {
        guard used.insert(next).inserted,
            let target = package.targets.first(where: { $0.name == next })
        else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): waiting.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !used.contains($0.name) }
    package.products.removeAll { !used.contains($0.name) }
}

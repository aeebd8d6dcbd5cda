import Upstream

/// What the command line asks for.
struct CheckOptions: Sendable {
    var url: UpstreamURL
    var requestCount: Int
    var concurrency: Int
    var authorityPath: String?
    var proxies = ProxySettings.none
    var posts = false
    var expectsContinue = false
    var decompresses = false
    var isRepeatable = false
    var closesEvery: Int?
    var isApart = false
    var pauseMin = Duration.zero
    var pauseMax = Duration.zero
    var seed: UInt64 = 1

    init(_ arguments: ArraySlice<String>) throws(CheckOptionsError) {
        var rest = arguments
        guard let url = rest.popFirst(), let requests = rest.popFirst(),
            let concurrency = rest.popFirst()
        else { throw CheckOptionsError("expected URL REQUESTS CONCURRENCY [OPTION…]") }
        do throws(UpstreamURLError) {
            self.url = try UpstreamURL(url)
        } catch {
            throw CheckOptionsError("\(error)")
        }
        guard !self.url.isAddress else { throw CheckOptionsError("the host has to be a name") }
        requestCount = try Self.positive(requests, of: "REQUESTS")
        self.concurrency = try Self.positive(concurrency, of: "CONCURRENCY")
        while let name = rest.popFirst() { try read(name, &rest) }
        guard posts || !expectsContinue else { throw CheckOptionsError("--expect needs --post") }
        guard pauseMin <= pauseMax else { throw CheckOptionsError("no pause is that long") }
    }

    private mutating func read(
        _ name: String,
        _ rest: inout ArraySlice<String>
    ) throws(CheckOptionsError) {
        switch name {
        case "--post": return posts = true
        case "--expect": return expectsContinue = true
        case "--gzip": return decompresses = true
        case "--repeatable": return isRepeatable = true
        case "--apart": return isApart = true
        default: break
        }
        guard let value = rest.popFirst() else {
            throw CheckOptionsError("option \(name) is unknown or has no value")
        }
        switch name {
        case "--authority": authorityPath = value
        case "--proxy": proxies = try Self.proxies(value)
        case "--close-every": closesEvery = try Self.positive(value, of: name)
        case "--pause-min": pauseMin = .milliseconds(try Self.positive(value, of: name))
        case "--pause-max": pauseMax = .milliseconds(try Self.positive(value, of: name))
        case "--seed": seed = UInt64(try Self.positive(value, of: name))
        default: throw CheckOptionsError("option \(name) is unknown")
        }
    }

    private static func proxies(_ url: String) throws(CheckOptionsError) -> ProxySettings {
        do throws(ProxySettingsError) {
            return try ProxySettings(environment: ["all_proxy": url])
        } catch {
            throw CheckOptionsError("\(error)")
        }
    }

    private static func positive(
        _ text: String,
        of name: String
    ) throws(CheckOptionsError) -> Int {
        guard let number = Int(text), number > 0 else {
            throw CheckOptionsError("\(name): not a positive number: \(text)")
        }
        return number
    }
}

struct CheckOptionsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The hosts that are connected to without a proxy: those of `no_proxy`, and always the machine
/// itself.
///
/// Commas and white space separate the entries. An entry is one of:
///
/// - `*`: every host.
/// - `example.org`, `.example.org` or `*.example.org`: this name and all names below it.
/// - `192.0.2.1`, `2001:db8::1` or `[2001:db8::1]`: this address.
/// - `10.0.0.0/8` or `fd00::/8`: the addresses of a CIDR block (RFC 4632 §3.1). Bits after the
///   prefix are ignored.
///
/// A port after a name or an address (`example.org:8080`, `[::1]:8080`) limits the entry to it.
/// Addresses and blocks apply to URLs whose host is an address: names are not looked up. Anything
/// else is an error, because otherwise a mistyped entry would send internal requests to a proxy.
struct ProxyExceptions: Hashable, Sendable {
    fileprivate enum Hosts: Hashable {
        case all
        /// Without a dot at either end.
        case domain(String)
        case block(AddressLiteral, prefixLength: Int)
    }

    fileprivate struct Entry: Hashable {
        let hosts: Hosts
        /// Nil for every port.
        let port: UInt16?
    }

    /// Only the machine itself.
    static let none = ProxyExceptions(entries: [])

    private let entries: [Entry]

    private init(entries: [Entry]) {
        self.entries = entries
    }

    init(_ variable: ProxySettings.Variable) throws(ProxySettingsError) {
        let separators = ", \t\r\n".utf8
        let texts = Array(variable.value.utf8).split { separators.contains($0) }
        var entries: [Entry] = []
        for text in texts {
            guard let entry = Self.entry(text) else {
                throw variable.error(.entryInvalid(number: entries.count + 1))
            }
            entries.append(entry)
        }
        self.entries = entries
    }

    func contains(_ url: UpstreamURL) -> Bool {
        if url.isAddress, let address = AddressLiteral(url.host) {
            return address.isLoopback
                || entries.contains { $0.admits(url.port) && $0.hosts.contains(address) }
        }
        let name = url.host.hasSuffix(".") ? url.host.dropLast() : url.host[...]
        // RFC 6761 §6.3: "localhost." and names below it are loopback addresses.
        return Hosts.domain("localhost").contains(name)
            || entries.contains { $0.admits(url.port) && $0.hosts.contains(name) }
    }

    // MARK: Reading

    private static func entry(_ text: ArraySlice<UInt8>) -> Entry? {
        if text.elementsEqual("*".utf8) { return Entry(hosts: .all, port: nil) }
        if let slash = text.firstIndex(of: UInt8(ascii: "/")) {
            return block(text[..<slash], length: text[(slash + 1)...])
        }
        if let address = AddressLiteral(text) {
            return Entry(hosts: .block(address, prefixLength: address.bitWidth), port: nil)
        }
        var text = text
        if text.starts(with: "*.".utf8) { text = text.dropFirst() }
        if text.first == UInt8(ascii: ".") { text = text.dropFirst() }
        guard let authority = try? URIAuthority(text), authority.userInformation == nil else {
            return nil
        }
        guard !authority.isAddress else {
            guard let address = AddressLiteral(authority.host) else { return nil }
            let hosts = Hosts.block(address, prefixLength: address.bitWidth)
            return Entry(hosts: hosts, port: authority.port)
        }
        let name = authority.host
        let domain = name.hasSuffix(".") ? String(name.dropLast()) : name
        return Entry(hosts: .domain(domain), port: authority.port)
    }

    private static func block(_ text: ArraySlice<UInt8>, length: ArraySlice<UInt8>) -> Entry? {
        guard let address = AddressLiteral(text), (1...3).contains(length.count),
            length.allSatisfy(URICharacters.isDigit),
            let prefixLength = Int(String(decoding: length, as: UTF8.self)),
            prefixLength <= address.bitWidth
        else { return nil }
        return Entry(hosts: .block(address, prefixLength: prefixLength), port: nil)
    }
}

extension ProxyExceptions.Entry {
    fileprivate func admits(_ port: UInt16) -> Bool {
        self.port == nil || self.port == port
    }
}

extension ProxyExceptions.Hosts {
    fileprivate func contains(_ address: AddressLiteral) -> Bool {
        switch self {
        case .all: true
        case .domain: false
        case .block(let network, let prefixLength):
            address.isInBlock(network, prefixLength: prefixLength)
        }
    }

    /// - Parameter name: In lower case, without a dot at its end.
    fileprivate func contains(_ name: Substring) -> Bool {
        switch self {
        case .all: true
        case .domain(let domain): name == domain || name.hasSuffix("." + domain)
        case .block: false
        }
    }
}

import Expectations

@testable import Core

@Suite("Address guard: no way inside", .timeLimit(.minutes(10)))
struct AddressGuardTests {
    private let strict = AddressGuard()

    private func refusal(_ text: String, _ guardian: AddressGuard? = nil) throws -> String? {
        let address = try require(IPAddress(text), "\(text) is an address")
        return (guardian ?? strict).refusal(of: address)?.reason
    }

    /// The first and the last address of each block.
    @Test(arguments: [
        ("0.0.0.0", "0.255.255.255"), ("10.0.0.0", "10.255.255.255"),
        ("100.64.0.0", "100.127.255.255"), ("127.0.0.0", "127.255.255.255"),
        ("169.254.0.0", "169.254.255.255"), ("172.16.0.0", "172.31.255.255"),
        ("192.0.0.0", "192.0.0.255"), ("192.0.2.0", "192.0.2.255"),
        ("192.31.196.0", "192.31.196.255"), ("192.52.193.0", "192.52.193.255"),
        ("192.88.99.0", "192.88.99.255"), ("192.168.0.0", "192.168.255.255"),
        ("192.175.48.0", "192.175.48.255"), ("198.18.0.0", "198.19.255.255"),
        ("198.51.100.0", "198.51.100.255"), ("203.0.113.0", "203.0.113.255"),
        ("224.0.0.0", "239.255.255.255"), ("240.0.0.0", "255.255.255.255"),
        ("169.254.169.254", "168.63.129.16"),
    ])
    func insideAddressOfVersion4IsRefused(first: String, last: String) throws {
        try expect(refusal(first) != nil)
        try expect(refusal(last) != nil)
        // And so in every other form of it.
        for prefix in ["::ffff:", "64:ff9b::"] {
            try expect(refusal(prefix + first) != nil, "\(prefix)\(first)")
            try expect(refusal(prefix + last) != nil, "\(prefix)\(last)")
        }
    }

    /// The neighbours of those blocks.
    @Test(arguments: [
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255",
        "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.1.255", "192.0.3.0", "192.88.98.255",
        "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
        "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255",
        "168.63.129.15", "168.63.129.17", "8.8.8.8",
    ])
    func publicAddressOfVersion4IsAllowed(text: String) throws {
        try expectNil(refusal(text))
        try expectNil(refusal("::ffff:" + text))
        try expectNil(refusal("64:ff9b::" + text))
    }

    @Test(arguments: [
        "::", "::1", "::2", "::7f00:1", "::127.0.0.1", "::8.8.8.8", "64:ff9b:1::",
        "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "64:ff9b:1::8.8.8.8", "64:ff9b:0:0:0:1::",
        "100::", "100::ffff:ffff:ffff:ffff", "2001::", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::",
        "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:808:808::1", "2002:7f00:1::",
        "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2620:4f:8000::1", "3fff::",
        "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "4000::", "5f00::1", "fc00::", "fd00:ec2::254", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "fe80::", "fe80::1", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fec0::", "feff::1",
        "ff00::", "ff02::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ])
    func insideAddressOfVersion6IsRefused(text: String) throws {
        try expect(refusal(text) != nil)
    }

    @Test(arguments: [
        "2000::", "2000:ffff::1", "2001:200::", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
        "2001:db9::", "2001:4860:4860::8888", "2003::", "2606:4700::1111", "2620:4f:8001::",
        "3ffe::1", "3fff:1000::", "2a00::1",
    ])
    func publicAddressOfVersion6IsAllowed(text: String) throws {
        try expectNil(refusal(text))
    }

    @Test func operatorAllowsBlocksAndNothingBesideThem() throws {
        let allowed = try ["10.1.0.0/16", "fd00:1::/32", "127.0.0.1/32"].map {
            try require(AddressBlock($0))
        }
        let guardian = AddressGuard(allowed: allowed)
        for text in [
            "10.1.0.0", "10.1.255.255", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "fd00:1::1",
            "127.0.0.1",
        ] {
            try expectNil(refusal(text, guardian), "\(text)")
        }
        for text in ["10.0.255.255", "10.2.0.0", "fd00:2::1", "127.0.0.2", "::1"] {
            try expect(refusal(text, guardian) != nil, "\(text)")
        }
    }

    @Test func refusalSaysWhatTheAddressIs() throws {
        let address = try require(IPAddress("::ffff:169.254.169.254"))
        expectEqual(strict.refusal(of: address)?.description, "169.254.169.254 is link-local")
    }

    @Test func onlyPortsOfTheListAreAllowed() {
        for port in [80, 443, 8080, 8443] { expect(strict.allows(port: port)) }
        for port in [22, 25, 79, 81, 442, 444, 6379, 8081] { expect(!strict.allows(port: port)) }
        expect(AddressGuard(ports: [9000]).allows(port: 9000))
        expect(!AddressGuard(ports: [9000]).allows(port: 80))
        expect(AddressGuard(ports: nil).allows(port: 22))
    }
}

@Suite("Addresses and blocks", .timeLimit(.minutes(10)))
struct IPAddressTests {
    @Test(arguments: [
        "", "127.1", "127.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.01", "1.2.3.256",
        "1.2.3.4.", ".1.2.3.4", "1.2.3.4.5", " 1.2.3.4", "1.2.3.4 ", "1.2.3.4\u{0}", "[::1]",
        "::1%lo",
        "fe80::1%1", "1:2:3:4:5:6:7", ":::", "1::2::3", "12345::", "１.2.3.4",
    ])
    func unusualTextIsNoAddress(text: String) {
        expectNil(IPAddress(text))
    }

    @Test(arguments: [
        ("1.2.3.4", "1.2.3.4"), ("255.255.255.255", "255.255.255.255"), ("::1", "::1"),
        ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
    ])
    func addressIsWrittenInItsShortForm(text: String, shown: String) throws {
        let address = try require(IPAddress(text))
        expectEqual(address.description, shown)
        expectEqual(IPAddress(address.description), address)
    }

    @Test func bytesInNetworkOrderAreAnAddress() {
        let bytes: [UInt8] = [169, 254, 1, 2]
        expectEqual(bytes.withUnsafeBytes { IPAddress(bytes: $0) }, IPAddress("169.254.1.2"))
        let long = [UInt8](repeating: 0, count: 15) + [1]
        expectEqual(long.withUnsafeBytes { IPAddress(bytes: $0) }, IPAddress("::1"))
        expectNil(long.dropLast().withUnsafeBytes { IPAddress(bytes: $0) })
    }

    @Test(arguments: [
        "", "10.0.0.0", "10.0.0.0/", "/8", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/+8",
        "10.0.0.0/8/8",
        "::/129", "::1/127", "fd00::/-1", "10.0.0.0/08x", "ten/8",
    ])
    func textThatIsNoBlockIsRefused(text: String) {
        expectNil(AddressBlock(text))
    }

    @Test(arguments: ["0.0.0.0/0", "10.0.0.0/8", "1.2.3.4/32", "::/0", "fd00::/8", "::1/128"])
    func blockContainsItsFirstAddress(text: String) throws {
        let block = try require(AddressBlock(text))
        let first = try require(IPAddress(text.prefix { $0 != "/" }))
        expect(block.contains(first))
        expectEqual(block.description, text)
    }

    @Test func blockOfOneVersionContainsNoneOfTheOther() throws {
        let all = try require(AddressBlock("0.0.0.0/0"))
        try expect(!all.contains(require(IPAddress("::1"))))
        try expect(all.contains(require(IPAddress("255.255.255.255"))))
    }
}

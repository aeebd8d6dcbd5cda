import Expectations

@testable import Configuration

@Suite("Configuration: texts of single values", .timeLimit(.minutes(10)))
struct ConfigurationValueTests {
    @Test(arguments: [
        ("250ms", Duration.milliseconds(250)), ("25s", .seconds(25)), ("5m", .seconds(300)),
        ("24h", .seconds(86_400)), ("7d", .seconds(7 * 86_400)), ("0s", .zero),
    ])
    func durationHasANumberAndAUnit(text: String, duration: Duration) {
        expectEqual(UnitText.duration(text), duration)
    }

    @Test(arguments: [
        "", "25", "s", "-5s", "+5s", "1.5s", "5 s", "5S", "5sec", "1h30m", "0x5s", "٥s",
        "9223372036854775807d", "99999999999999999999s",
    ])
    func otherTextIsNoDuration(text: String) {
        expectNil(UnitText.duration(text))
    }

    @Test(arguments: [
        ("512B", 512), ("16KiB", 16 << 10), ("1MiB", 1 << 20), ("2GiB", 2 << 30), ("0B", 0),
    ])
    func byteCountHasANumberAndAUnit(text: String, count: Int) {
        expectEqual(UnitText.byteCount(text), count)
        expectEqual(UnitText.text(byteCount: count), text)
    }

    @Test(arguments: [
        "", "16", "KiB", "16kB", "16KB", "16 KiB", "1.5MiB", "-1B", "9223372036854775807GiB",
    ])
    func otherTextIsNoByteCount(text: String) {
        expectNil(UnitText.byteCount(text))
    }

    @Test(arguments: ["0s", "1ms", "1500ms", "90s", "2m", "36h", "2d"])
    func durationIsWrittenInTheLargestUnitWithoutRest(text: String) throws {
        let duration = try require(UnitText.duration(text))
        expectEqual(UnitText.text(duration), text)
    }

    @Test(arguments: [
        ("127.0.0.1:8000", "127.0.0.1", 8000), ("[::1]:0", "::1", 0),
        ("localhost:65535", "localhost", 65535),
        ("hub.example.org:1", "hub.example.org", 1), ("[fe80::1%eth0]:1", "fe80::1%eth0", 1),
    ])
    func addressHasHostAndPort(text: String, host: String, port: UInt16) {
        let address = ListenAddress(text)
        expectEqual(address, ListenAddress(host: host, port: port))
        expectEqual(address?.description, text)
    }

    @Test func unixSocketIsAnAddressWithAPath() {
        let address = ListenAddress("unix:/run/varde/varde.sock")
        expectEqual(address?.unixPath, "/run/varde/varde.sock")
        expectEqual(address?.isLoopback, true)
        expectEqual(address?.description, "unix:/run/varde/varde.sock")
        let longest = "unix:/" + String(repeating: "a", count: 106)
        expect(ListenAddress(longest) != nil)
        expectNil(ListenAddress(longest + "a"))
    }

    @Test(arguments: [
        ("0660", 0o660), ("660", 0o660), ("0600", 0o600), ("0777", 0o777), ("000", 0),
    ])
    func socketModeIsOctal(text: String, bits: UInt32) {
        expectEqual(Configuration.SocketMode(text)?.bits, bits)
    }

    @Test(arguments: ["", "66", "0888", "1777", "00660", "rw-", "0o660"])
    func otherTextIsNoSocketMode(text: String) {
        expectNil(Configuration.SocketMode(text))
    }

    @Test(arguments: [
        "unix:", "unix:varde.sock", "unix:/run/", "unix:/a\nb",
        "", ":8000", "8000", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1:+1", "::1:8000", "[::1]", "[127.0.0.1]:1", "[]:1", "a b:1", "http://x:1",
    ])
    func otherTextIsNoAddress(text: String) {
        expectNil(ListenAddress(text))
    }

    @Test(arguments: [
        "0.0.0.0:1", "[::]:1", "10.0.0.1:1", "127.example.org:1", "127.0.0.1.x:1", "127.0.0.256:1",
    ])
    func otherAddressIsNotLoopback(text: String) {
        expectEqual(ListenAddress(text)?.isLoopback, false)
    }

    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "abc", 3), ("listen", "listen", 0), ("lsiten", "listen", 1),
        ("listne", "listen", 1), ("lisen", "listen", 1), ("lissten", "listen", 1),
        ("lixten", "listen", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
    func distanceCountsTypingErrors(left: String, right: String, distance: Int) {
        expectEqual(NearestName.distance(left, right), distance)
        expectEqual(NearestName.distance(right, left), distance)
    }

    @Test func nothingIsNearWhenMostLettersDiffer() {
        expectNil(NearestName.find("xyz", among: ["listen", "database"]))
        expectNil(NearestName.find("listen", among: []))
        expectEqual(NearestName.find("databse", among: ["listen", "database"]), "database")
    }

    @Test(arguments: ["nan", "inf", "0x10", "1e400", "", "1,5", "91"])
    func otherTextIsNoLatitude(text: String) {
        let type = ScalarType.number(-90...90)
        expectNil(type.read(ScalarText(text: text, isPlain: true)))
    }

    @Test(arguments: [
        "http://", "https:///x", "http://a@b/", "http://:80", "x", "http://a b", "//a",
    ])
    func otherTextIsNoURL(text: String) {
        let type = ScalarType.url(example: "")
        expectNil(type.read(ScalarText(text: text, isPlain: true)))
    }
}

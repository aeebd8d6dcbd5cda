import Expectations
import PostgresTesting

@testable import Store

@Suite("PostgreSQL: the hosts of a connection string", .timeLimit(.minutes(5)))
struct PostgresHostsTests {
    private func hosts(_ names: String, _ addresses: String = "", _ ports: String = "")
        -> [[String]]
    {
        PostgresHosts(names: names, addresses: addresses, ports: ports).each.map {
            $0.map { "\($0.keyword)=\($0.value)" }
        }
    }

    @Test func eachHostHasItsOwnParameters() {
        expectEqual(hosts("a,b"), [["host=a"], ["host=b"]])
        expectEqual(hosts("a,b", "", "1,2"), [["host=a", "port=1"], ["host=b", "port=2"]])
        expectEqual(
            hosts("a,b", "10.0.0.1,10.0.0.2", "5"),
            [
                ["host=a", "hostaddr=10.0.0.1"], ["host=b", "hostaddr=10.0.0.2"],
            ]
        )
        expectEqual(hosts("", "::1,::2"), [["hostaddr=::1"], ["hostaddr=::2"]])
    }

    @Test(arguments: [
        ("", "", ""), ("a", "", ""), ("a", "10.0.0.1", "5"), ("a,", "", ""), ("a,b", "", "1,2,3"),
        ("a,b", "10.0.0.1", ""), ("a,b", "10.0.0.1,", ""), ("a,b", "", "1,"),
    ])
    func listsThatDoNotFitAreLeftToTheLibrary(names: String, addresses: String, ports: String) {
        expect(hosts(names, addresses, ports).isEmpty)
    }

    @Test(arguments: [
        "postgresql://u:p@a:1,b:2/db?target_session_attrs=read-write",
        "postgresql:///db?host=a,b&port=1,2", "host=a,b port=1,2 dbname=db",
    ])
    func everyFormOfAConnectionStringIsRead(target: String) throws {
        let found = PostgresHosts(target, try PostgresLibrary.loaded())
        expectEqual(found, PostgresHosts(names: "a,b", addresses: "", ports: "1,2"))
        expect(PostgresHosts("postgresql://[", try PostgresLibrary.loaded()).each.isEmpty)
    }
}

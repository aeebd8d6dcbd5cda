import Activity
import Expectations
import Service
import TokenTesting
import Wire

@testable import ActivityApp

@Suite("Film app: whose request it is", .timeLimit(.minutes(10)))
struct PersonAccessTests {
    /// By the header of the request.
    @Test func personIsTheOneWhomTheTokenNames() async throws {
        let tokens = try await TestTokens()
        let access = RouteAccess(
            verifier: { tokens.verifier },
            endedLogins: EndedLogins(accessTokenLifetime: .seconds(3600))
        )
        func person(_ authorization: String?) async -> Result<Int, ActivityError> {
            var headers: HTTPHeaders = [:]
            if let authorization { headers.append("Authorization", authorization) }
            let request = RouteRequest(
                head: HTTPRequestHead(target: "/", headers: headers),
                body: [],
                peer: nil,
                parameters: RouteParameters()
            )
            do throws(ActivityError) {
                return .success(try await access.personID(of: request))
            } catch {
                return .failure(error)
            }
        }
        await expectEqual(person("Bearer \(try tokens.connection("42"))"), .success(42))
        await expectEqual(person(nil), .failure(.authenticationRequired(.missing)))
        await expectEqual(person("Basic MTox"), .failure(.authenticationRequired(.missing)))
        access.endedLogins.add(["of the phone"], at: HubClock.wall)
        let tablet = try tokens.connection("42", login: "of the tablet")
        await expectEqual(person("Bearer \(tablet)"), .success(42))
        let phone = try tokens.connection("42", login: "of the phone")
        await #expect(throws: ActivityError(TokenError.revoked)) {
            try await person("Bearer \(phone)").get()
        }
        expectEqual(ActivityError(TokenError.revoked).details, .reason(.invalid))
        let expired = await person("Bearer \(try tokens.expiredConnection("42"))")
        #expect(throws: ActivityError(TokenError.expired)) { try expired.get() }
        for user in ["", "0", "-1", "+42", "042", "4 2", "kari", "٤٢", "9223372036854775808"] {
            let found = await person("Bearer \(try tokens.connection(user))")
            expectEqual(found, .failure(.authenticationRequired(.invalid)), "\(user)")
        }
    }
}

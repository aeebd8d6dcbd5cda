import Activity
import HTTPTypes
import Hummingbird
import JSONText
import Logging
import NIOCore
import Store
import Tokens

/// What a route of the film app answers: what `body` makes, or an error in the app's form.
func activityAnswer(
    _ logger: Logger,
    _ body: () async throws -> Response
) async -> Response {
    do {
        return try await body()
    } catch let error as ActivityError {
        return .activityError(error)
    } catch let error as RequestError {
        return .activityError(ActivityError(error))
    } catch is FairReads.Refused {
        return .activityError(
            .rateLimitExceeded(
                retryAfterSeconds: Int(FairReads.Refused.retryAfter.inSeconds)
            )
        )
    } catch let error as StoreError {
        logger.error(
            "activity: request not carried out",
            metadata: ["err": "\(error)"],
            source: LogSource.peer
        )
        return .activityError(.unavailable)
    } catch {
        logger.error(
            "activity: request failed",
            metadata: ["err": "\(error)"],
            source: LogSource.peer
        )
        return .activityError(.internal)
    }
}

extension Response {
    static func activityError(_ error: ActivityError) -> Response {
        var response = Response.uncached(error.json(), status: .init(code: error.status))
        if error.code == .authenticationRequired {
            response.headers[.wwwAuthenticate] = Challenge.token
        }
        if case .retryAfter(let seconds) = error.details {
            response.headers[.retryAfter] = String(seconds)
        }
        return response
    }
}

extension Request {
    /// The content.
    ///
    /// - Throws: `ActivityError` when it is longer than any of the app's can be.
    func activityContent() async throws -> [UInt8] {
        let lengthMax = ActivityLimits.bodyBytesMax
        do {
            return Array(try await body.collect(upTo: lengthMax).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw ActivityError.bodyTooLong(bytesMax: lengthMax)
        }
    }
}

extension RouteAccess {
    /// The person whose token the request shows. That the account is still there is for the caller to see.
    func personID(of request: Request) async throws(ActivityError) -> Int {
        let claims: ConnectionClaims?
        do throws(TokenError) {
            claims = try await self.claims(of: request)
        } catch {
            throw ActivityError(error)
        }
        guard let claims else { throw .authenticationRequired(.missing) }
        // One spelling for each number: `07` would be a user of topics of its own.
        guard let id = Int(claims.user), id > 0, hasSameBytes(String(id), claims.user) else {
            throw .authenticationRequired(.invalid)
        }
        return id
    }
}

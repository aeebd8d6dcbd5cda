import Activity
import DomainKit

/// Returns the answer of a route of the film app: the result of `body`, or an error in the app's
/// form.
package func activityAnswer(
    _ logger: Logger,
    _ body: () async throws -> ServerResponse
) async -> ServerResponse {
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

extension ErrorForm {
    /// The film app's.
    package static let activity = ErrorForm { problem in
        switch problem {
        case .notFound: .activityError(.nothingHere)
        case .keyRefused(let message):
            .activityError(ActivityError(.authenticationRequired, message))
        case .methodNotAllowed(let allowed): .activityError(.methodNotAllowed(allowed: allowed))
        case .notLeading(let message): .activityError(ActivityError(.unavailable, message))
        }
    }
}

extension ServerResponse {
    package static func activityError(_ error: ActivityError) -> ServerResponse {
        var response = ServerResponse.uncached(error.json(), status: error.status)
        if error.code == .authenticationRequired {
            response.head.headers.append("WWW-Authenticate", Challenge.token)
        }
        if case .retryAfter(let seconds) = error.details {
            response.head.headers.append("Retry-After", String(seconds))
        }
        return response
    }
}

extension RouteRequest {
    /// The content.
    ///
    /// - Throws: `ActivityError` when it is longer than any of the app's can be.
    package func activityContent() throws(ActivityError) -> [UInt8] {
        let lengthMax = ActivityLimits.bodyBytesMax
        guard body.count <= lengthMax else { throw .bodyTooLong(bytesMax: lengthMax) }
        return body
    }
}

extension RouteAccess {
    /// The person of the request's token. The caller must check that the account still exists.
    package func personID(of request: RouteRequest) async throws(ActivityError) -> Int {
        let claims: ConnectionClaims?
        do throws(TokenError) {
            claims = try await self.claims(of: request)
        } catch {
            throw ActivityError(error)
        }
        guard let claims else { throw .authenticationRequired(.missing) }
        guard let id = Person.id(ofUser: claims.user) else {
            throw .authenticationRequired(.invalid)
        }
        return id
    }
}

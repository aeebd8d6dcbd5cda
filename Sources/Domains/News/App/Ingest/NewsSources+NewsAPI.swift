import DomainKit
import NewsFeeds

extension NewsSection {
    /// The key of each source of the kind `newsapi`, by the name of the source.
    ///
    /// - Parameters:
    ///   - readFile: returns the text of a file; nil when it cannot be read.
    ///   - report: receives the path of a key with an invalid value, and the error.
    package func newsAPIKeys(
        environment: [String: String],
        readFile: (String) -> String?,
        report: (_ path: String, _ message: String) -> Void
    ) -> [String: Secret] {
        var keys: [String: Secret] = [:]
        for (index, source) in sources.enumerated() where source.kind == .newsapi {
            keys[source.name] = source.keySource?.providerKey(
                environment: environment,
                readFile: readFile,
                report: { report("\(NewsSection.sourcePath(index)).\($0)", $1) }
            )
        }
        return keys
    }
}

extension NewsSources {
    /// Answers after which the same request fails again until an operator acts: wrong parameters,
    /// a wrong key, a plan that does not allow it.
    private static let newsAPIStopsOn: Set<Int> = [400, 401, 403, 410, 426]
    /// A request costs a share of the day's budget, so a failed one is not repeated within seconds.
    private static let newsAPIBackoff = Duration.seconds(60)
    private static let newsAPIPause = Duration.seconds(30 * 60)
    private static let newsAPIStop = Duration.seconds(6 * 3600)

    /// A source of the kind `newsapi` with its key.
    func newsAPI(
        _ source: NewsSection.Source,
        key: Secret,
        budget: NewsAPIBudget
    ) -> PolledFeed {
        let name = "news.\(source.name)"
        let reader = NewsAPIReader(limits: FeedLimits(itemCountMax: source.itemsMax))
        let refusal = Locked<Timestamp?>(nil)
        return PolledFeed(
            name: name,
            url: NewsSources.newsAPIURL(of: source),
            policy: NewsSources.newsAPIPolicy(of: source),
            format: FeedFormat.json.explaining { NewsSources.explain($0, key) },
            headers: ["X-Api-Key": key.revealed],
            role: .alternative(input: NewsSources.input, group: name),
            apply: { [service] body, validators in
                let document: FeedDocument
                do throws(NewsAPIFailure) {
                    document = try reader.read(body.bytes)
                } catch {
                    let now = service.clock.now
                    refusal.withLock { $0 = NewsSources.pause(after: error).map { now + $0 } }
                    throw NewsAPIRefusal(description: NewsSources.masked("\(error)", key))
                }
                let row = FeedRow(name: name, validators)
                let taken = try await service.take(document, from: source.asQueried, keeping: row)
                service.log(taken, document, of: source)
            },
            keep: { [service] in try await service.keep(FeedRow(name: name, $0)) },
            holdOff: { [service] in
                if let until = refusal.withLock({ $0 }), until > service.clock.now { return until }
                return await budget.spend(for: source.name)
            }
        )
    }

    private static func newsAPIPolicy(of source: NewsSection.Source) -> FeedPolicy {
        FeedPolicy(
            interval: source.effectiveInterval,
            bodyBytesMax: bodyBytesMax,
            backoffBase: newsAPIBackoff,
            backoffMax: newsAPIPause,
            failuresToOpen: 3,
            probeDelay: newsAPIPause,
            probeDelayMax: newsAPIStop,
            stopsOn: newsAPIStopsOn,
            stoppedProbeDelay: newsAPIStop
        )
    }

    static func newsAPIURL(of source: NewsSection.Source) -> String {
        let base = source.address
        let root = base.hasSuffix("/") ? String(base.dropLast()) : base
        return root + (source.query ?? NewsSection.Query()).target
    }

    /// NewsAPI answers some errors with status 200.
    private static func pause(after failure: NewsAPIFailure) -> Duration? {
        switch failure.consequence {
        case .stop: newsAPIStop
        case .wait: newsAPIPause
        case .goOn: nil
        }
    }

    /// The error in the body of an answer with a status other than 200; nil if the body has none.
    private static func explain(_ body: [UInt8], _ key: Secret) -> String? {
        do throws(NewsAPIFailure) {
            _ = try NewsAPIReader().read(body)
            return nil
        } catch {
            guard case .refused = error else { return nil }
            return masked("\(error)", key)
        }
    }

    /// Masks the key: an upstream may repeat it in its errors, which are logged.
    private static func masked(_ text: String, _ key: Secret) -> String {
        text.replacing(key.revealed, with: Secret.mask)
    }
}

/// Why an answer of NewsAPI was refused, without the key.
private struct NewsAPIRefusal: Error, CustomStringConvertible {
    let description: String
}

import DomainKit

/// The shop's prices: `{"car":5,"ball":2}`, asked for once a minute.
func toyPrices(url: String, _ service: ToysService) -> PolledFeed {
    let name = "toys.prices"
    return PolledFeed(
        name: name,
        url: url,
        policy: FeedPolicy(interval: .seconds(60)),
        apply: { body, validators in
            let prices = try JSONReader.fields(of: body.bytes[...]).compactMap { field in
                JSONReader.integer(field.value).map { (name: field.key, price: Int($0)) }
            }
            try await service.set(prices, FeedRow(name: name, validators))
        },
        keep: { validators in
            try await service.set([], FeedRow(name: name, validators))
        }
    )
}

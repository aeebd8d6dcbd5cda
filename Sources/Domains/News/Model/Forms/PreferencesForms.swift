/// The preferences of a user.
package struct NewsPreferences: Equatable, Sendable {
    package enum FocusProfile: String, CaseIterable, Sendable {
        case focused, balanced, broad
    }

    package struct Holding: Equatable, Sendable {
        package var ticker: Ticker
        package var label: String?
        package var notes: String?

        package init(ticker: Ticker, label: String? = nil, notes: String? = nil) {
            self.ticker = ticker
            self.label = label
            self.notes = notes
        }
    }

    package static let holdingsMax = 100

    package var focusProfile: FocusProfile
    /// In the user's order, each ticker once.
    package var holdings: [Holding]

    /// Initially a user is balanced and holds nothing.
    package init(focusProfile: FocusProfile = .balanced, holdings: [Holding] = []) {
        self.focusProfile = focusProfile
        self.holdings = holdings
    }

    /// The answer of `PUT /v1/preferences`.
    package func updatedJSON() -> [UInt8] {
        newsJSON { json in
            json.field("success", true)
            json.field("focus_profile", focusProfile.rawValue)
            json.field("holdings_count", holdings.count)
        }
    }

    /// The answer of `GET /v1/preferences`.
    package func json() -> [UInt8] {
        newsJSON { write(to: &$0) }
    }

    /// The data of `news.preferences.updated`.
    func eventJSON() -> [UInt8] {
        newsJSON { json in
            write(to: &json)
            json.textArray("topics", holdings.map { Topic.news($0.ticker).name })
        }
    }

    private func write(to json: inout JSONWriter) {
        json.field("focus_profile", focusProfile.rawValue)
        json.array("holdings") { json in
            for holding in holdings {
                json.object { json in
                    json.field("ticker", holding.ticker.text)
                    json.field("label", holding.label)
                    json.field("notes", holding.notes)
                }
            }
        }
        json.field("holdings_count", holdings.count)
    }
}

/// The answer of `DELETE /v1/users/me/data`: `{"success":true}`.
package func newsDataDeletedJSON() -> [UInt8] {
    newsJSON { $0.field("success", true) }
}

/// The body of `PUT /v1/preferences`. A key that is left out or null leaves its value as it is.
package struct PreferencesRequest: Equatable, Sendable {
    package var focusProfile: NewsPreferences.FocusProfile?
    /// Each ticker once, at its first place. An empty list empties.
    package var holdings: [NewsPreferences.Holding]?

    package init(json body: [UInt8]) throws(NewsError) {
        let elements: [ArraySlice<UInt8>]?
        do throws(RequestError) {
            _ = try RequestFields(body)
            let focus = "focus_profile"
            // A value that is not a string is refused like a word that is not in the list.
            let word = rawField(focus, of: body).map {
                JSONReader.string($0) ?? RequestError.excerpt($0)
            }
            focusProfile = try queryWord(word, focus)
            elements = try arrayField("holdings", of: body, expected: "an array of tickers")
        } catch {
            throw NewsError(error)
        }
        guard let elements else { return }
        var holdings: [NewsPreferences.Holding] = []
        for (index, element) in elements.enumerated() {
            let holding = try NewsPreferences.Holding(json: element, place: "holdings[\(index)]")
            try PreferencesRequest.add(holding, to: &holdings)
        }
        self.holdings = holdings
    }

    /// The user's preferences after the request.
    package func applied(to preferences: NewsPreferences) -> NewsPreferences {
        NewsPreferences(
            focusProfile: focusProfile ?? preferences.focusProfile,
            holdings: holdings ?? preferences.holdings
        )
    }

    /// A ticker that was there before keeps its place. Its label and notes are the last ones.
    private static func add(
        _ holding: NewsPreferences.Holding,
        to holdings: inout [NewsPreferences.Holding]
    ) throws(NewsError) {
        guard let index = holdings.firstIndex(where: { $0.ticker == holding.ticker }) else {
            guard holdings.count < NewsPreferences.holdingsMax else {
                throw NewsError(
                    status: 400,
                    "Too many holdings",
                    details: "holdings has over \(NewsPreferences.holdingsMax) tickers"
                )
            }
            return holdings.append(holding)
        }
        holdings[index].label = holding.label ?? holdings[index].label
        holdings[index].notes = holding.notes ?? holdings[index].notes
    }
}

extension NewsPreferences.Holding {
    /// A ticker as a text, or an object with `ticker` and possibly `label` and `notes`.
    fileprivate init(json element: ArraySlice<UInt8>, place: String) throws(NewsError) {
        if let text = JSONReader.string(element) {
            self.init(ticker: try requestedTicker(text, place: place))
            return
        }
        guard element.first == UInt8(ascii: "{") else {
            throw NewsError(
                .unexpected(
                    field: place,
                    expected: "a ticker or an object with a ticker",
                    found: RequestError.excerpt(element)
                )
            )
        }
        let text: String
        let label: String?
        let notes: String?
        do throws(RequestError) {
            let fields = try RequestFields(Array(element))
            label = try fields.textOrNothing("label", .holdingLabel)
            notes = try fields.textOrNothing("notes", .holdingNotes)
            // Checked as a ticker: another text has the documented error, not one of its length.
            text = try fields.textOrNothing("ticker", TextRule(lengthMax: .max)) ?? ""
        } catch {
            guard error.field == "ticker" else { throw NewsError(error.inside(place)) }
            throw .invalidTicker(details: error.inside(place).description)
        }
        self.init(
            ticker: try requestedTicker(text, place: "\(place).ticker"),
            label: label,
            notes: notes
        )
    }
}

/// The ticker of a text of a request.
func requestedTicker(_ text: String, place: String) throws(NewsError) -> Ticker {
    guard let ticker = Ticker(text) else {
        throw .invalidTicker(
            details: #"\#(place) is "\#(RequestError.excerpt(text.utf8))""#
        )
    }
    return ticker
}

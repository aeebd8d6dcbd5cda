// News: articles, stories and signals as values, the rules that make one of another, and the forms of requests and answers.

/// The categories of the apps, by the names of their documents.
package enum NewsCategory: String, CaseIterable, Sendable {
    case general, business, technology, entertainment, health, science, sports
}

/// The metadata that an article's page states about itself, and its main text. All texts are plain.
package struct WebPage: Equatable, Sendable {
    /// `og:title`, else the headline of JSON-LD, else `<title>`; one line, empty without any.
    package var title = ""
    /// `og:site_name`.
    package var siteName: String?
    /// `og:description`, else `<meta name="description">`; one line, empty without any.
    package var summary = ""
    /// `rel=canonical`, else `og:url`: absolute, http or https, without credentials.
    ///
    /// The page states it, and a page can name any other site. Compare its host with the host of
    /// the page before you trust it.
    package var canonicalURL: String?
    package var published: Timestamp?
    /// A language tag such as `en-us`, in lower case.
    package var language: String?
    /// The paragraphs of the article, one on each line, without navigation, footers and comments.
    package var text = ""

    package init() {}
}

/// The proxies of requests, from the environment variables that curl, Go and other programs read.
///
/// - `http_proxy` is for http URLs. `HTTP_PROXY` is not read: a CGI server sets it from a client's
///   header field `Proxy` ("httpoxy", CVE-2016-5385).
/// - `https_proxy` or `HTTPS_PROXY` is for https URLs.
/// - `all_proxy` or `ALL_PROXY` is for either when there is no such variable.
/// - `no_proxy` or `NO_PROXY` lists the hosts that are connected to directly: see
///   `ProxyExceptions`. It is read only when there is a proxy.
///
/// The variable in lower case has priority, and an empty one counts as unset. Requests to the
/// machine itself (`localhost`, names below it, 127.0.0.0/8, ::1) never go through a proxy.
///
/// A variable without effect is not read, so an error is always about one with effect.
package struct ProxySettings: Hashable, Sendable {
    /// An HTTP proxy. For https URLs it receives a CONNECT request (RFC 9110 §9.3.6).
    package struct Proxy: Hashable, Sendable {
        /// A name in lower case, or an IP address without brackets.
        package let host: String
        package let port: UInt16
        /// The value of Proxy-Authorization (RFC 7617).
        package let authorization: String?
    }

    /// No proxy for any request.
    package static let none = ProxySettings(
        http: nil,
        https: nil,
        exceptions: ProxyExceptions.none
    )

    private let http: Proxy?
    private let https: Proxy?
    private let exceptions: ProxyExceptions

    private init(http: Proxy?, https: Proxy?, exceptions: ProxyExceptions) {
        self.http = http
        self.https = https
        self.exceptions = exceptions
    }

    package init(environment: [String: String]) throws(ProxySettingsError) {
        func proxy(_ names: [String]) throws(ProxySettingsError) -> Proxy? {
            guard let variable = Variable(firstOf: names, in: environment) else { return nil }
            return try Proxy(variable)
        }
        http = try proxy(["http_proxy", "all_proxy", "ALL_PROXY"])
        https = try proxy(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
        if http != nil || https != nil,
            let variable = Variable(firstOf: ["no_proxy", "NO_PROXY"], in: environment)
        {
            exceptions = try ProxyExceptions(variable)
        } else {
            exceptions = .none
        }
    }

    /// Returns the proxy of a request for `url`; nil for a direct connection.
    package func proxy(for url: UpstreamURL) -> Proxy? {
        guard let proxy = url.isSecure ? https : http else { return nil }
        return exceptions.contains(url) ? nil : proxy
    }

    /// An environment variable that is set.
    struct Variable {
        let name: String
        let value: String

        /// - Parameter names: The first that is set and not empty is used.
        init?(firstOf names: [String], in environment: [String: String]) {
            for name in names {
                guard let value = environment[name], !value.isEmpty else { continue }
                self.name = name
                self.value = value
                return
            }
            return nil
        }

        func error(_ problem: ProxySettingsError.Problem) -> ProxySettingsError {
            ProxySettingsError(variable: name, problem: problem)
        }
    }
}

extension ProxySettings.Proxy: CustomStringConvertible {
    /// The host and port, without the credentials.
    package var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension ProxySettings.Proxy {
    /// Parses `http://user:password@host:port`, where the user information may be missing, and one
    /// `/` may end the text.
    ///
    /// `http://` may also be missing. With it the port may be missing and is then 80. A host with
    /// neither is refused, because some programs use port 80 then, others 1080.
    init(_ variable: ProxySettings.Variable) throws(ProxySettingsError) {
        let reference: URIReference
        let authority: URIAuthority
        // Without the slashes `proxy.local:3128` would be parsed as a URI with the scheme
        // `proxy.local`.
        let hasScheme = variable.value.unicodeScalars.contains("://".unicodeScalars)
        do throws(UpstreamURLError) {
            reference = try URIReference((hasScheme ? "" : "//") + variable.value)
            let scheme = try reference.scheme.map(UpstreamURL.scheme)
            guard scheme != .https else { throw .schemeUnsupported }
            guard let named = reference.authority, hasScheme == (scheme != nil) else {
                throw .authorityMissing
            }
            authority = try URIAuthority(named)
        } catch .schemeUnsupported {
            throw variable.error(.schemeUnsupported)
        } catch {
            throw variable.error(.url(error))
        }
        // A fragment would be dropped, and with it the part of a password after a "#".
        guard reference.path.isEmpty || reference.path.elementsEqual("/".utf8),
            reference.query == nil, !variable.value.utf8.contains(UInt8(ascii: "#"))
        else { throw variable.error(.pathUnsupported) }
        guard hasScheme || authority.port != nil else { throw variable.error(.portMissing) }
        host = authority.host
        port = authority.port ?? UpstreamURL.Scheme.http.defaultPort
        authorization = try Self.authorization(authority.userInformation ?? [], variable)
    }

    /// `Basic` credentials (RFC 7617 §2); nil when there is no user information.
    private static func authorization(
        _ userInformation: ArraySlice<UInt8>,
        _ variable: ProxySettings.Variable
    ) throws(ProxySettingsError) -> String? {
        guard !userInformation.isEmpty else { return nil }
        let colon = UInt8(ascii: ":")
        let user = userInformation.prefix { $0 != colon }
        let password = userInformation[user.endIndex...].dropFirst()
        // "a user-id containing a colon character is invalid", and so are control characters.
        guard let user = URICharacters.percentDecoded(user), !user.contains(colon),
            let password = URICharacters.percentDecoded(password),
            (user + password).allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw variable.error(.credentialsInvalid) }
        return "Basic " + base64(user + [colon] + password)
    }
}

/// An invalid environment variable. The description contains the variable's name but no part of its
/// value, because it may contain a password.
package struct ProxySettingsError: Error, Hashable, Sendable {
    package enum Problem: Hashable, Sendable {
        case url(UpstreamURLError)
        case schemeUnsupported
        case portMissing
        case pathUnsupported
        case credentialsInvalid
        /// The first entry has number 1.
        case entryInvalid(number: Int)
    }

    package let variable: String
    package let problem: Problem

    package init(variable: String, problem: Problem) {
        self.variable = variable
        self.problem = problem
    }
}

extension ProxySettingsError: CustomStringConvertible {
    package var description: String {
        switch problem {
        case .url(let error): "\(variable): \(error)"
        case .schemeUnsupported:
            "\(variable): only HTTP proxies are supported: write http://host:port or host:port"
        case .portMissing: "\(variable): proxy has no port: write host:port"
        case .pathUnsupported:
            "\(variable): proxy has a path, a query or a fragment: write / in credentials as %2F,"
                + " ? as %3F, # as %23"
        case .credentialsInvalid:
            "\(variable): credentials have a control character, a colon in the user name, or a %"
                + " without two hexadecimal digits after it"
        case .entryInvalid(let number):
            "\(variable): entry \(number) is not *, a name, an address or a CIDR block"
        }
    }
}

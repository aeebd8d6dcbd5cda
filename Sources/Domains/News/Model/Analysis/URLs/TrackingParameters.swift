/// Query parameters that identify the origin of a reader and do not select the article.
enum TrackingParameters {
    /// Whether a parameter of this name, in lower case, is removed.
    static func contains(_ name: String) -> Bool {
        names.contains(name) || prefixes.contains { name.hasPrefix($0) }
    }

    private static let prefixes = [
        "utm_", "at_custom", "guce_", "hsa_", "pk_", "mtm_", "ns_", "amp_",
    ]

    private static let names: Set<String> = [
        "_ga", "_gl", "_hsenc", "_hsmi", "at_campaign", "at_medium", "cmp", "cmpid", "dclid",
        "fbclid",
        "feedname", "feedtype", "ftag", "gbraid", "gclid", "gclsrc", "guccounter", "icid", "igshid",
        "ito", "mc_cid", "mc_eid", "mkt_tok", "msclkid", "ncid", "ocid", "oly_anon_id",
        "oly_enc_id",
        "ref_src", "ref_url", "s_cid", "smid", "smtyp", "spm", "srnd", "twclid", "usqp", "vero_id",
        "wbraid", "wt.mc_id", "xtor", "yclid",
    ]
}

internal import SystemPSL

/// Domains below which everybody can have one of their own, `co.uk` for example, so that no cookie may be
/// for all of them (<https://publicsuffix.org>).
enum PublicSuffixes {
    /// As libpsl was built with them. A name that stands in no list and has no dot is one as well.
    static func contain(_ domain: String) -> Bool { psl_is_public_suffix(psl_builtin(), domain) != 0 }
}

internal import SystemPSL

/// Domains below which the public can register names, `co.uk` for example, so that no cookie may be set for
/// all of them (<https://publicsuffix.org>).
enum PublicSuffixes {
    /// Uses the list that libpsl was built with. A name that is in no list and has no dot counts as one too.
    static func contain(_ domain: String) -> Bool { psl_is_public_suffix(psl_builtin(), domain) != 0 }
}

extension SecretScan {
    /// Where a pair `name=value` may be.
    enum Pairs {
        /// The text is one URL, whose values extend to the next `&` or `#`.
        case inURL
        /// After `?` and `&`.
        case inURLs
        /// A form: also at the start, and a value extends to the next `&`.
        case inForm
        /// Text for people, and JSON: everywhere, also `name = "value"`.
        case inWords
        /// The output of a script: a value with a secret's name is data, and only the passwords
        /// of URLs are hidden.
        case nowhere
    }
}

extension SecretScan {
    /// Where a pair `name=value` may stand.
    enum Pairs {
        /// The text is one URL, whose values go on to the next `&` or to `#`.
        case inURL
        /// Behind `?` and `&`.
        case inURLs
        /// A form: the same and at the start, and a value goes on to the next `&`.
        case inForm
        /// Text for people, and JSON: everywhere, also `name = "value"`.
        case inWords
        /// The output of a script: a value with a secret's name is data, and only the passwords
        /// of URLs are hidden.
        case nowhere
    }
}

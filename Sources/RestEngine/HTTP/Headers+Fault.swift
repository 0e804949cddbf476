extension Headers {
    /// What is wrong with the first field that would break a message apart (RFC 9110 5.1, 5.5); nil when all can be
    /// sent.
    public var fault: String? {
        for field in fields {
            guard Method.isToken(field.name) else { return "'\(field.name.printable)' is not a header name" }
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return "the value of header '\(field.name)' contains a line break or control character"
            }
        }
        return nil
    }
}

extension Headers {
    /// What keeps the fields from being sent: the first name or value that would break the message apart (RFC 9110
    /// 5.1, 5.5).
    public var problem: String? {
        for field in fields {
            if let problem = Self.problem(name: field.name, value: field.value) { return problem }
        }
        return nil
    }

    /// What keeps one field from being sent.
    public static func problem(name: String, value: String) -> String? {
        guard Method.isToken(name) else { return "'\(name.printable)' is not a header name" }
        return problem(inValue: value).map { "the value of header '\(name)' \($0)" }
    }

    static func problem(inValue value: String) -> String? {
        value.utf8.allSatisfy(HTTPByte.isFieldValue) ? nil : "contains a line break or control character"
    }
}

/// How names of Swift properties are written as keys of objects.
public enum KeyStyle: Sendable {
    case asWritten
    /// `createdAt` is `created_at` and `htmlURL` is `html_url`. When reading, a key as it is written comes first.
    case snakeCase

    /// A word begins at a capital behind a small letter or digit, and at the last of several capitals when a small
    /// letter follows it.
    static func snakeCased(_ name: String) -> String {
        let scalars = Array(name.unicodeScalars)
        var text = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            guard scalar.properties.isUppercase else {
                text.append(scalar)
                continue
            }
            if index > 0, scalars[index - 1] != "_" {
                let isBehindSmall = !scalars[index - 1].properties.isUppercase
                let isBeforeSmall = index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
                if isBehindSmall || isBeforeSmall { text.append("_") }
            }
            text.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        }
        return String(text)
    }
}

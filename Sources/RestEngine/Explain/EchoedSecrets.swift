import Platform

extension SecretMask {
    /// Hides credentials of a request that the server quotes in the body of its refusal, because its reason
    /// goes to logs and clients (47.5).
    static func hideCredentials(in body: [UInt8], of headers: Headers, to url: String) {
        guard !body.isEmpty, body.count <= 64 << 10 else { return }
        var credentials = headers.fields.filter { standard.hides($0.name) }.map { field in
            // Behind the scheme, such as `Bearer`.
            String(field.value[...].split(separator: " ").last ?? "")
        }
        if url.utf8.contains(.question), let url = URLText(url) {
            credentials += url.parameters.filter { standard.hides($0.name) }.map(\.value)
        }
        for credential in credentials where contains(Array(credential.utf8), in: body) { hide(credential) }
    }

    /// Takes time that is linear in the body, whatever the texts are.
    private static func contains(_ text: [UInt8], in body: [UInt8]) -> Bool {
        guard text.count >= KnownSecrets.fewestBytes else { return false }
        let (body, text) = (cText(body), cText(text))
        return strstr(body, text) != nil
    }

    private static func cText(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }
}

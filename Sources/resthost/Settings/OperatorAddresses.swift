import Gateway
import Platform
import RestEngine

/// The settings of `[operator]` in `resthost.toml`: where operators ask, and what they show there.
struct OperatorAddresses {
    var listen: [String] = []
    /// The line of `listen` in the file.
    private(set) var listenLine: Int?
    /// The hash of the token that operators send.
    private(set) var token: [UInt8]?
    private(set) var certificate: String?
    private(set) var key: String?
    /// A file with the authority that signs operators' certificates.
    private(set) var authority: String?
    private(set) var serverNames: [String] = []

    /// Clients show something, even on the machine itself.
    var wantsCredentials: Bool { token != nil || authority != nil }

    var tls: GatewayTLS? {
        get throws(OptionFault) {
            switch (certificate, key) {
            case (nil, nil): nil
            case (let certificate?, let key?): GatewayTLS(certificate: certificate, key: key)
            default:
                throw OptionFault(sentence: "'certificate' and 'key' of [operator] belong together")
            }
        }
    }

    typealias Field = OptionField<SettingsValue, SettingsFile>

    static let fields: [Field] = [
        Field(
            "listen", type: "string | string[]",
            "Addresses, `host:port` or `unix:/path`. One that other machines reach needs a token, or TLS with certificates of clients."
        ) { value, file, _ in
            file.operators.listen = try value.addresses()
            file.operators.listenLine = value.entry.line
        }.like("`--operator`"),
        .text(
            "token-sha256",
            "The SHA-256 of the token that operators send as `Authorization: Bearer …`, as 64 hexadecimal digits."
        ) { file, text in
            guard let bytes = Hex.decode(Array(text.utf8)), bytes.count == 32 else {
                throw OptionFault("is 64 hexadecimal digits: printf %s \"$TOKEN\" | sha256sum")
            }
            file.operators.token = bytes
        },
        .text("certificate", "A PEM file of the addresses' certificate, for TLS.") { file, path in
            file.operators.certificate = file.place(path)
        },
        .text("key", "A PEM file of its private key, without a passphrase.") { file, path in
            file.operators.key = file.place(path)
        },
        .text("client-ca", "A PEM file of the authority that signs operators' certificates.") { file, path in
            file.operators.authority = file.place(path)
        },
        .texts("server-names", default: "[]", "Names in `Host` beside those of the gateway.") { file, names in
            file.operators.serverNames = names
        },
    ]
}

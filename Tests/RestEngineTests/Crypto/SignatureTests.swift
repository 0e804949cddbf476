import TestSupport
import Testing

@testable import RestEngine

/// Signatures with keys in PEM.
@Suite struct SignatureTests {
    /// The key of RFC 8037, appendix A.
    private static let edPrivate = pem(
        "PRIVATE KEY", "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g")
    private static let edPublic = pem(
        "PUBLIC KEY", "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=")

    private static let rsaPrivate = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCSvQqghNJIgojG
        aUQ7xma43sZMFheUBztxuiZro83EF+4HPCSKE0SqR8Upk0O8xJ/WIpjY3fj9r/Rn
        sMNaBnBAKPXfsa0HYIOtmqd+7XnLEp2/L+RfQgteegGxlQCGEadSsLejtWVbc/Za
        opFyu96HCNk5zw+ad+uRakeBJi0VAzhFy5ijxIgqNO8U9qflql66jjH0P1cWeOJ7
        /NF0oFap+Rb8RiZejnaSuJUKyMW4hP4Bg1aNWWbuS6smrTXGiDaf+IeTiRD+s/uA
        DQkK0nrJoZ8fT3krSSa1Rkt/c5D2wGMLtdQXlYMxE2aqbiV86E06A3e0jUr7WZYs
        Oe8Y6iLTAgMBAAECggEAA1xQj8b9PZ29/gcB3Wcq5TxI5HmhVi4yONNYpOm7+AeD
        afm3/6eJdULlYmy6fOp5UlynMesngeUBOnFH2TWcrqgPNX/PSU0t62vZrJtJ222v
        7sERrhdjoI2lfG0th62o0yQz8+eDjIeRknLSQqfsrdN1H9oqgPWlIf2moAI4LM+h
        Qlv10j8s1SYa2Aa9aahMgBpgRNrrHjXczgPm8GgGBpVnRkCj4unup/M091mwbxHZ
        UWoWQczhfBhKXiIZvIGZ1u2Kk6xBXW8YjoGasvLSf8s64/Lc54AmzPHdOnQ+mNTI
        sxm07VhQbUUYg9/ySzbTuvMaXGyxA44hgI6G68yS7QKBgQDFCtN4xrICGf4kTdrr
        MX3B/fSqWQvy+unGYcRYvVJIQBDUSK4fuiF6HC0Pbv1n+NSoL2KHDYeiEKOhtBmi
        5n3ezViGUOKyuEr/xoWC5zQq47ARiP+SYHY4mkMMENpEnu70AHczoYS/F6DgBZ/D
        690LjQ3Wq9xw5uTKowfmOk/8vQKBgQC+pQI0nMJe7NuOK27GMxvVc+zbw1kdLlYU
        MTLpZ4A5m7kjBhABEMNQkduwDmvmpypBv0Xj+UJ/cH/EOZcRcAitCZcii00MeIyu
        TyH7EvkPPFrFH39a0kt0Bzxt54TiEhEVl5iIO5IT+xJLBogz+ZoGkMjQ4kHEJSWC
        y9GlpRM+zwKBgG2zfE8GmH5xCDwgGFzPHgvOHtRkZTGvHk4zikQ5i0DsYjI+EKtb
        Tl4Up8Wq7mxfbc4BK6KzFqtVBjT19zvphXRw8PM+vyfvUNocJaLeo/2o7BKnKlrN
        V6RlxiRGka6YqcKxK6xUJXraZdezaeKDQ3q12lmFL2KwOfrTT4ePOY8lAoGBAJcy
        9VnWzc1NWyAZUES/Oh8DTuJIvz+GhVyEXJWCsc5+s8mUQFMoAU/ALpUmCuumvrvg
        QET7ZoL+LUbqSebZjPf3uDb8dgIjBaglOJURShiMTI00WuQkDxWZu5KK4PgPTh9q
        2N2LKWLRaIO6TYGzPzZf0/TezTwMHgDrN32BO48/AoGABuNE4w4aEd+v+WYlvcEs
        CHS3qAxrXWadSPUiPlCA+F98s1OLW/Fo1CNVrt6pYmNmt30qs1ChgQTrYMEfi9bT
        ifJAaI1ojVr9fovksf/PgVatJ36vIdjzGwgb0PzOU1VaqCE2M5GaOI/3q/RoGZ4c
        0IpHk3otiFfy7Xb1enYUqHU=
        -----END PRIVATE KEY-----
        """
    private static let rsaPublic = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAkr0KoITSSIKIxmlEO8Zm
        uN7GTBYXlAc7cboma6PNxBfuBzwkihNEqkfFKZNDvMSf1iKY2N34/a/0Z7DDWgZw
        QCj137GtB2CDrZqnfu15yxKdvy/kX0ILXnoBsZUAhhGnUrC3o7VlW3P2WqKRcrve
        hwjZOc8PmnfrkWpHgSYtFQM4RcuYo8SIKjTvFPan5apeuo4x9D9XFnjie/zRdKBW
        qfkW/EYmXo52kriVCsjFuIT+AYNWjVlm7kurJq01xog2n/iHk4kQ/rP7gA0JCtJ6
        yaGfH095K0kmtUZLf3OQ9sBjC7XUF5WDMRNmqm4lfOhNOgN3tI1K+1mWLDnvGOoi
        0wIDAQAB
        -----END PUBLIC KEY-----
        """

    private static func pem(_ kind: String, _ text: String) -> String {
        "-----BEGIN \(kind)-----\n\(text)\n-----END \(kind)-----\n"
    }

    @Test func `RFC 8037 A_4 the signature of the example`() throws {
        let input = Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
        let signature = try #require(
            try SignatureAlgorithm.edDSA.sign(input, key: Array(Self.edPrivate.utf8)))
        #expect(
            Hex.encode(signature)
                == "860c98d2297f3060a33f42739672d61b53cf3adefed3d3c672f320dc021b411e9d59b8628dc351e248b88b29468e0e41855b0fb7d83bb15be902bfccb8cd0a02"
        )
        #expect(
            try SignatureAlgorithm.edDSA.isValid(signature, of: input, key: Array(Self.edPublic.utf8)))
    }

    @Test(
        arguments: [
            (.rs256, rsaPrivate, rsaPublic, 256), (.rs384, rsaPrivate, rsaPublic, 256),
            (.rs512, rsaPrivate, rsaPublic, 256), (.ps256, rsaPrivate, rsaPublic, 256),
            (.ps384, rsaPrivate, rsaPublic, 256), (.ps512, rsaPrivate, rsaPublic, 256),
            (.es256, TestCertificates.serverKey, TestCertificates.server, 64),
            (.edDSA, edPrivate, edPublic, 64),
        ] as [(SignatureAlgorithm, String, String, Int)])
    func `a signature is valid for its bytes and its algorithm alone`(
        algorithm: SignatureAlgorithm, key: String, publicKey: String, size: Int
    ) throws {
        let (key, publicKey, bytes) = (Array(key.utf8), Array(publicKey.utf8), Array("hello".utf8))
        let signature = try #require(try algorithm.sign(bytes, key: key))
        #expect(signature.count == size)
        #expect(try algorithm.isValid(signature, of: bytes, key: publicKey))
        #expect(try !algorithm.isValid(signature, of: bytes + [0], key: publicKey))
        #expect(try !algorithm.isValid(Array(signature.dropLast()), of: bytes, key: publicKey))
        #expect(try !algorithm.isValid(signature + [0], of: bytes, key: publicKey))
        #expect(try !algorithm.isValid([], of: bytes, key: publicKey))
        #expect(try !algorithm.isValid(Array(repeating: 0, count: size), of: bytes, key: publicKey))
        for other in SignatureAlgorithm.allCases where other != algorithm {
            #expect((try? other.isValid(signature, of: bytes, key: publicKey)) != true)
        }
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `a key of another kind, or none, is no key`(algorithm: SignatureAlgorithm) {
        let other = algorithm.rawValue.hasPrefix("E") ? Self.rsaPrivate : Self.edPrivate
        for text in ["", "nonsense", other, TestCertificates.server, pemWithPassword] {
            #expect(throws: SignatureAlgorithm.WrongKey.self) {
                try algorithm.sign([1], key: Array(text.utf8))
            }
            guard text != TestCertificates.server || algorithm != .es256 else { continue }
            #expect(throws: SignatureAlgorithm.WrongKey.self) {
                try algorithm.isValid([1], of: [1], key: Array(text.utf8))
            }
        }
    }

    /// The library must not ask for its password.
    private let pemWithPassword = pem(
        "ENCRYPTED PRIVATE KEY",
        "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgAAAAAAAAAAAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAAAAAAAAAAA"
    )
}

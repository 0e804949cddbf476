package import RestEngine

/// A key that signs tokens in tests. It protects nothing.
package struct TestIssuer: Sendable {
    package let algorithm: SignatureAlgorithm
    /// Its public members in a JWK.
    package let members: [(String, Tree)]
    private let privateKey: String

    /// - Parameter id: The `kid`; nil: the key has none.
    package func key(_ id: String?, _ more: [(String, Tree)] = []) -> Tree {
        Tree(pairs: members + (id.map { [("kid", Tree($0))] } ?? []) + more)
    }

    package static func set(_ keys: [Tree]) -> [UInt8] {
        (try? Tree(pairs: [("keys", Tree(keys))]).json()) ?? []
    }

    /// The token's text.
    ///
    /// - Parameters:
    ///   - header: Members beside `alg`.
    ///   - algorithm: The text of `alg`; nil: the key's own.
    package func token(
        _ claims: String, id: String? = nil, header: [(String, Tree)] = [], algorithm: String? = nil
    ) -> String {
        var members: [(String, Tree)] = [("alg", Tree(algorithm ?? self.algorithm.rawValue))]
        if let id { members.append(("kid", Tree(id))) }
        let text = (try? Tree(pairs: members + header).json()) ?? []
        return sign(text, Array(claims.utf8))
    }

    /// A token of these bytes.
    package func sign(_ header: [UInt8], _ claims: [UInt8]) -> String {
        let signed = Self.base64URL(header) + "." + Self.base64URL(claims)
        let signature = try? algorithm.sign(Array(signed.utf8), key: Array(privateKey.utf8))
        return signed + "." + Self.base64URL((signature ?? nil) ?? [])
    }

    package static func base64URL(_ bytes: [UInt8]) -> String {
        Base64.encode(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    package static let rsa = TestIssuer(
        algorithm: .rs256,
        members: [
            ("kty", "RSA"), ("e", "AQAB"),
            (
                "n",
                Tree(
                    "jHI8fL006vE_LmYAfNdCvfwJZzeMDpbclMA4fGwXzyyCXFj7LLJWoAf5_1y0oAFN5Z3S06pPUQ9hx9JK"
                        + "xhZlRiw-1tAlPrVc6CFo8opXJVMh1ZIorWk0-cZNMYrJEBVq0UTSCYpAFK_wMn0VUhhileWBmKsbasss"
                        + "8W_BzKqMw7hFF0bseaIlA-50kdxUeYZi45cOPPU52L6QMLquv9SBd6fC7J_vzrzWf0xXl7OTVkYLqBuC"
                        + "d1b-M-SmOO6GZ3vvh8NTRxwk-wjQNXQjERuC4b90p1f8CU-kVeSqm2CUGAipm_d-67tIwwbb-N-2uM-A"
                        + "0ARGUsuPoiD9qrXcXRfX3w")
            ),
        ],
        privateKey: """
            -----BEGIN PRIVATE KEY-----
            MIIEugIBADANBgkqhkiG9w0BAQEFAASCBKQwggSgAgEAAoIBAQCMcjx8vTTq8T8u
            ZgB810K9/AlnN4wOltyUwDh8bBfPLIJcWPssslagB/n/XLSgAU3lndLTqk9RD2HH
            0krGFmVGLD7W0CU+tVzoIWjyilclUyHVkiitaTT5xk0xiskQFWrRRNIJikAUr/Ay
            fRVSGGKV5YGYqxtqyyzxb8HMqozDuEUXRux5oiUD7nSR3FR5hmLjlw489TnYvpAw
            uq6/1IF3p8Lsn+/OvNZ/TFeXs5NWRguoG4J3Vv4z5KY47oZne++Hw1NHHCT7CNA1
            dCMRG4Lhv3SnV/wJT6RV5KqbYJQYCKmb937ru0jDBtv437a4z4DQBEZSy4+iIP2q
            tdxdF9ffAgMBAAECggEAHj20z4kwHUyf9Z4qCbeSG/VqkuqPgk6ypWb0YrolsErd
            sQPJ5bhq1Z+SEY3FKNTPEJuYm1IHLSWaQNwDlL6axO7fAwMjmeqUXDlhbyQhmpxZ
            YzLLBnfqW8P6uCmxnIB4FSJz9XDq1mmB12U+k4RDqhIWgyiIyUiBX2VYffjVQYkY
            xUGAHBqmPi/QV0PeCJmnxpnD7ngRp+/Z+HGotsMZ63ORuqUSYNQbp4D4Qvf5mZDB
            GBaXHYWpW9fr8xSLLZ1G5cJnfQXlIy82ev2SbLuPbDOOVHZhy82OR0zQbt5Z8SEh
            8Xj4R+nSwsfvzQw6+19CoxTaXch/gK57iuo1StqigQKBgQDEnMox69nAAoWziIcJ
            ruLT2sYpIoegCqIEaCUgQFFBP3xqKrvA3ET/q9Kbx3jH0f2t+ZhQVa9jtKySioyK
            pKYsUGH12w4FWRXxqaNYJr98ZQc7KMaJZRgSnA/1IjTYX1NRQiJ9eSbj5GmP4vNw
            yWeC+ZRWtlBRdj0vfOqThbGiXwKBgQC23lmL1pjUvYYPioylC3aSGs+0wvzE5kaG
            yhHGnpLnR/PQKLqA5JTNTMZNj6klmKYbnTrIChyGodh3nwa8x+pVojDAQcB+i80N
            Cdd/UxIpFjsq3PimCpKVE1jdEDEBupf9xRNVlrcRXRUcB6CIcrnoeq3YCMTWLsGm
            g9MG7uS6gQKBgG3n45NSby/JeSnqCOqdy4h4BEvcVIpfR0BFY3OK4KEjtw22A6yE
            tUFisGGKePbiaPeGzeEidN+8kLd+IaAi+A1PheMkZ8sPiJfFp1zQlDwaUZd9bLZD
            P9ivSrBSRc4qQ23qFVOklNvRxDy9ti33OBjcIVLzqSRQf1V7c7mxg6HrAn9SJZAU
            QVJmPrz6PkLv4TZia6jiirUBvm/wHNXfY1yaiLf9yk39mLE/iD2Mmfxh5zC3Nuow
            8lneINYc5lMgeq3JyhIcS20ta5+xO7qSd76wtkvd9WW9MQKn9Qj2RU++dxPP67fD
            uvCB3E6fSM3UfbUFuhZd9ZJ2pIpZQt6JPseBAoGALwMV6TtQr8n2QzaStMevmLxn
            EhTSb3CgcXFjHyqSGuH4dy2hFCqEfqeNqiP4tO93K7yRi5FcWgJnvhKyFtZrMATi
            y5gIXrL/6s5AX1Vr6HBO8ss4XybgyswRui61u1hwW88h+bBZ3alew8sNn5idaHOo
            KA2MFu4bm965RK3JakE=
            -----END PRIVATE KEY-----
            """)

    package static let otherRSA = TestIssuer(
        algorithm: .rs256,
        members: [
            ("kty", "RSA"), ("e", "AQAB"),
            (
                "n",
                Tree(
                    "3_vtJt2bSoT5CqwN9tqBhOOGc_2vrM25DGDG5R4AVS2HHaaGhspMdrYhONJoJfnfADPyBMfZELYnw7zO"
                        + "P3XdruR2se_C03IDZv4SjG661AsFOi4I9jlv52wZJUv8rYTj9skiX4BKlQVNdwtWeCRpyo6Jtil8y9pE"
                        + "OjkYWgT8ceDa3AixK7nrF6xDmRmyalU3y1CQI_UMzAHQQ01AXAoRq1Vwl-G1_xy79SOHmgqOzAmwtx_A"
                        + "aK464DcckTPnwDK2ZB_8aezdSDrLnZYoA_ujhWkj2fzWKuEbANQ7PZ7VQ_YNvVa-VApy9voZdZuTzkRT"
                        + "KZhDNixFFjn8rNj8tOX-2w")
            ),
        ],
        privateKey: """
            -----BEGIN PRIVATE KEY-----
            MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDf++0m3ZtKhPkK
            rA322oGE44Zz/a+szbkMYMblHgBVLYcdpoaGykx2tiE40mgl+d8AM/IEx9kQtifD
            vM4/dd2u5Hax78LTcgNm/hKMbrrUCwU6Lgj2OW/nbBklS/ythOP2ySJfgEqVBU13
            C1Z4JGnKjom2KXzL2kQ6ORhaBPxx4NrcCLEruesXrEOZGbJqVTfLUJAj9QzMAdBD
            TUBcChGrVXCX4bX/HLv1I4eaCo7MCbC3H8BorjrgNxyRM+fAMrZkH/xp7N1IOsud
            ligD+6OFaSPZ/NYq4RsA1Ds9ntVD9g29Vr5UCnL2+hl1m5PORFMpmEM2LEUWOfys
            2Py05f7bAgMBAAECggEAAQ/lSXWZUa1vn7SRCcv57G03iVoXXmZ164bt8+0Ab0jY
            3XeoY0ta3oZp+oDSj9dNit+0LxatoR3kegaawh4pBXnQcza6XhH1VVkpjA9l4wtm
            VVuHHR2qm8PKk3CF663lHD94CBS5ICq3JwbyUwVItjKHqA2mqYxULPb5Kv/fpDjx
            OZhZ81pLXEIQ/YHifyfYGzyjmHrmsWe9ZDVCB/+qAlhY+8+TitMjiCoMNPWupKUR
            gwyb5OYYY/99uMiVO7pmW0ywQfe7uytZVELwQScqiCmo6E5doryEIDjJgSq6sDiJ
            ci62A7CFRnVtD31czTAf1hdpjqKaRmMgsezthCmR6QKBgQD8oLf94XQByvqu+d8H
            rwwJIUyBSQuWFwaZNuDXkor6Ec7mn7l71wmIqOjc9GdkwaUA8/AGrVqJMc99XPFm
            6UbR3Ffetq1OFJHce84l50FFJ7m2geDvF95qvsHCZK5WfK5If3vpgVsrGrKECfw1
            IuMqPZo10pBv/kaffjy4bCvHhQKBgQDi+VN/WGomxd+B4YZamS6Oo8fd3RIrr1fK
            ZtfJllWOzBA54l/ni6zbAE2+aVnWFd9+YmodYLhw0SYxanmJc3M2bbkSQbheiK9b
            IAKarWoLL0Ao5u4PviIzyxWOcuO5jMCO6OzXNOcuVyvTd3w9mqyi56swYnWgCokT
            61K7dpgK3wKBgQCngPE+NwSyQ6Hf7vHAqII0c43Ek2hJRk8ru8Vtak8X7ELhi7py
            sGwz3rs39h2wIu2DKjtWUg8btJk9KCkv8TDx6UWh+EIE6YKlTLmtTB5s+iAbMRax
            sYPaB0111Uf7NIRisZS5iPmoJPWEsxI1MUKqOVpMoab/evvcuNkN9zs3+QKBgDiK
            r9g7aEY8aM9sJRIQst5pwnJsjgg/5/jN4degEbQ+9ZPV5tpBm0/7JWLXz79bN4++
            aHzlCU1hbMhGo/wvvHXEo6P+pzU1i6mBseRiatZacPs/e/KEBPUuFDKmQECK5bU0
            JTv/O8/5ezt0uoiGLZdvat/kxzSVK0zBBJ0akAm1AoGBANEI5xoVomW2gDLdMDdK
            q6xBAvUxNCtBIOnbfeTHy7Mly3ATPEfNOdY5O9mjxuEMFd5LyCRpkmi2cHyWwijr
            vdzy5/cFuwTNq5p6ahy5GvhxMUC72FhR0XKkciNTbKCdmZkJ6fThRqb9pKI8Pc5d
            vREUEeFvFc7tTAuakS3ZGwvN
            -----END PRIVATE KEY-----
            """)

    package static let ec256 = TestIssuer(
        algorithm: .es256,
        members: [
            ("kty", "EC"), ("crv", "P-256"),
            ("x", "NnrRMTFJDkKotl5wVNpunq9RoRtoTk_MpI-qhM19NbY"),
            ("y", "DEOYNRQ8L-UDLbjvMnQlbJ-NLvAjjvkbPql7Wr3qGqU"),
        ],
        privateKey: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6B9sD6vMixqTMKgi
            Hm6tdrMFIQtiRGl7jIQcu9mQ5C6hRANCAAQ2etExMUkOQqi2XnBU2m6er1GhG2hO
            T8ykj6qEzX01tgxDmDUUPC/lAy247zJ0JWyfjS7wI475Gz6pe1q96hql
            -----END PRIVATE KEY-----
            """)

    package static let ec384 = TestIssuer(
        algorithm: .es384,
        members: [
            ("kty", "EC"), ("crv", "P-384"),
            ("x", "IRBRvpaBJ2LSHAD0tV-WVbJEaHGUm1khXhFEhCMV4egkcSY0eOKjNFkyv5ysxbta"),
            ("y", "RJ2ukWq52TlyLhZFz57j2mXzAyhnMKEnXz2yPGuBJSsHYFvSanzrt3y46p_1Np7i"),
        ],
        privateKey: """
            -----BEGIN PRIVATE KEY-----
            MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDTOv4b8qjyBYaLJHvM
            0jC6rC7ZdiRb/LZZ5w1k5Qn+HzThPkY66ML2drnWU9xbzjahZANiAAQhEFG+loEn
            YtIcAPS1X5ZVskRocZSbWSFeEUSEIxXh6CRxJjR44qM0WTK/nKzFu1pEna6RarnZ
            OXIuFkXPnuPaZfMDKGcwoSdfPbI8a4ElKwdgW9JqfOu3fLjqn/U2nuI=
            -----END PRIVATE KEY-----
            """)

    package static let ec521 = TestIssuer(
        algorithm: .es512,
        members: [
            ("kty", "EC"), ("crv", "P-521"),
            ("x", "ATubP0ZgnzpcZvgjSrq2_TvA0rZ_n_6A2l7qPj1qXXR-iR5aXlJf9yNWhu4aa4Z5hYPXOZQwtHYgFuQC5qnW8nwQ"),
            ("y", "AFzQ9Yod6cH6-EiM4w1CvgkIWx_2jnEjZoiV_JHTW-_RuAvLjBQcZUabttMw64OmPVjCuHE4H2ZvHjvdlEG9oByj"),
        ],
        privateKey: """
            -----BEGIN PRIVATE KEY-----
            MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIATiMJHNyBe4prqlyR
            HtZIAFfh2SDlACGqR2uPYC7MiliXIEftfln+NjDwjYcTm2SHzYUegGmvODsQNfge
            OedGAtqhgYkDgYYABAE7mz9GYJ86XGb4I0q6tv07wNK2f5/+gNpe6j49al10foke
            Wl5SX/cjVobuGmuGeYWD1zmUMLR2IBbkAuap1vJ8EABc0PWKHenB+vhIjOMNQr4J
            CFsf9o5xI2aIlfyR01vv0bgLy4wUHGVGm7bTMOuDpj1YwrhxOB9mbx473ZRBvaAc
            ow==
            -----END PRIVATE KEY-----
            """)

    package static let ed25519 = TestIssuer(
        algorithm: .edDSA,
        members: [
            ("kty", "OKP"), ("crv", "Ed25519"), ("x", "wZNU-lMDQlhAzTq8n-pLDe8fSPxViEdFpbQ5CCwbJOs"),
        ],
        privateKey: """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIFUZBAq5fOSNyiE5tDSYTmF97q/3asTpOFWZujrQDpuU
            -----END PRIVATE KEY-----
            """)

    package static let all = [rsa, ec256, ec384, ec521, ed25519]

    /// The same key for another of its algorithms.
    package func using(_ algorithm: SignatureAlgorithm) -> TestIssuer {
        TestIssuer(algorithm: algorithm, members: members, privateKey: privateKey)
    }
}

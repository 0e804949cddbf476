/// Certificates and keys for tests, valid from 2000 to 2120. They protect nothing.
public enum TestCertificates {
    /// Signs all except `stranger`.
    public static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBSTCB76ADAgECAhQq/+YYuElR7ESEl6Yyhe1HBrucRDAKBggqhkjOPQQDAjAZ
        MRcwFQYDVQQDDA5yZXN0aG9zdCB0ZXN0czAgFw0wMDAxMDEwMDAwMDBaGA8yMTIw
        MDEwMTAwMDAwMFowGTEXMBUGA1UEAwwOcmVzdGhvc3QgdGVzdHMwWTATBgcqhkjO
        PQIBBggqhkjOPQMBBwNCAAT/P0lY0ApIbxajfMAxHrbcJTyFgl9sguiJyNj7Uyad
        f0HLSAsffNtqcCKUsqbM67FSf/CZmQUk7YBg8INOFNlsoxMwETAPBgNVHRMBAf8E
        BTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDKQehLzXi1gUD3qGj0LuwsOJTyqNGL
        NrAqGP5+NqEJHwIhAP2NPD3n47MT3Pm11wmNbh4xXANtofyt3mZcoFZ1T1Ka
        -----END CERTIFICATE-----
        """
    public static let otherAuthority = """
        -----BEGIN CERTIFICATE-----
        MIIBTjCB9aADAgECAhRRtGfqet04frwrY27YtoKyf6LlZzAKBggqhkjOPQQDAjAc
        MRowGAYDVQQDDBFhbm90aGVyIGF1dGhvcml0eTAgFw0wMDAxMDEwMDAwMDBaGA8y
        MTIwMDEwMTAwMDAwMFowHDEaMBgGA1UEAwwRYW5vdGhlciBhdXRob3JpdHkwWTAT
        BgcqhkjOPQIBBggqhkjOPQMBBwNCAAT6ElWtcJhv8TWvi+oEyaOzEKApdLesXo0Y
        q5DU6lqhrGDQYZTJdu6RSfHbCHBIWxTeITu4wymLUtl0SPXVVSmaoxMwETAPBgNV
        HRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQC/ZPla2yjqPu7ORhcWzAFx
        x5pQspQCBgkKK+ZxtCN5SAIgR+fXWoWnuNdHORX8h2u2zMg3HYPoH7yfbHxI7nb1
        Sg4=
        -----END CERTIFICATE-----
        """
    /// For `localhost` and 127.0.0.1.
    public static let server = """
        -----BEGIN CERTIFICATE-----
        MIIBXjCCAQOgAwIBAgIUDTn8cBm96L/Wn2KHZe7Fy/A2u2YwCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOcmVzdGhvc3QgdGVzdHMwIBcNMDAwMTAxMDAwMDAwWhgPMjEy
        MDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEG
        CCqGSM49AwEHA0IABBS0bdqRBM4nmKwWHYi3ImWgETbErxY0V3nkIoQxKF9Lqgo9
        gvtkyDX9eGsaMK8OUR2cECfne53CfQO7SiTPVmCjLDAqMAwGA1UdEwEB/wQCMAAw
        GgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49BAMCA0kAMEYCIQDO
        m2nbklCy9MoSMdP8gNAu1/XCGSq33KgraQRbfM0uRQIhAJ7jwfcBqZR5+1orgLz0
        LiHf3hOXohIpJTgeTjOEpJrB
        -----END CERTIFICATE-----
        """
    public static let serverKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1fGSGfKdt9+N2ko1
        EgKqAETxCsq9TiGkSFZYMSWN89ChRANCAAQUtG3akQTOJ5isFh2ItyJloBE2xK8W
        NFd55CKEMShfS6oKPYL7ZMg1/XhrGjCvDlEdnBAn53udwn0Du0okz1Zg
        -----END PRIVATE KEY-----
        """
    /// Like `server`, with another key.
    public static let second = """
        -----BEGIN CERTIFICATE-----
        MIIBXDCCAQOgAwIBAgIUG2yaml+JCQY6alRz+vRg/YinGu4wCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOcmVzdGhvc3QgdGVzdHMwIBcNMDAwMTAxMDAwMDAwWhgPMjEy
        MDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEG
        CCqGSM49AwEHA0IABA0SJ7EHvbyA90a85G/hzsfmHHea7AHA+BkRssdGXA2L/4uj
        6Xi9Hr8GbOVzmf7qVVE/qirCgtXVuQZyQA9K00KjLDAqMAwGA1UdEwEB/wQCMAAw
        GgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49BAMCA0cAMEQCIDug
        Dghf/Mu7MQbUK0xJ8L98R2NHlpuCUTjnq7WV++njAiBSIKZwVAdniDyE2U5TvH2h
        fdXWKEwJkqtv9gYCUuQ16w==
        -----END CERTIFICATE-----
        """
    public static let secondKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXrEOwIRdnEuGJVcc
        j+bFJk6F6XM+IhlAnDxsu3d6f3yhRANCAAQNEiexB728gPdGvORv4c7H5hx3muwB
        wPgZEbLHRlwNi/+Lo+l4vR6/Bmzlc5n+6lVRP6oqwoLV1bkGckAPStNC
        -----END PRIVATE KEY-----
        """
    /// Its common name is `backend`.
    public static let backend = """
        -----BEGIN CERTIFICATE-----
        MIIBPzCB5aADAgECAhQpkRWkTZyacug9+6I/vbg7s+IW3zAKBggqhkjOPQQDAjAZ
        MRcwFQYDVQQDDA5yZXN0aG9zdCB0ZXN0czAgFw0wMDAxMDEwMDAwMDBaGA8yMTIw
        MDEwMTAwMDAwMFowEjEQMA4GA1UEAwwHYmFja2VuZDBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABJVZc4h9/yju2cyJhd14FScEmXDVsl5svJIGHAVCgKHMedR+gVRB
        RIfMdLXUBZxHAvacDweDS7J2b/7hVyfnZvOjEDAOMAwGA1UdEwEB/wQCMAAwCgYI
        KoZIzj0EAwIDSQAwRgIhAPyY1x28WIUwQHciQ8AjukAqBspbepD0PAKJ/0ujH6AV
        AiEA0+TmB+q6aPiHDj6XvU0E36SHgzDF5nt3C3X5Qirf2kw=
        -----END CERTIFICATE-----
        """
    public static let backendKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGWUJsZNmxunow6WO
        n+oyHjbar8c9aWIeUCMaIsSFo2yhRANCAASVWXOIff8o7tnMiYXdeBUnBJlw1bJe
        bLySBhwFQoChzHnUfoFUQUSHzHS11AWcRwL2nA8Hg0uydm/+4Vcn52bz
        -----END PRIVATE KEY-----
        """
    /// Without a common name: page@example.org, page.internal, spiffe://example.org/page.
    public static let page = """
        -----BEGIN CERTIFICATE-----
        MIIBhzCCAS2gAwIBAgIUAMjGV4qp18lEaoYKkgFaznoNMz0wCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOcmVzdGhvc3QgdGVzdHMwIBcNMDAwMTAxMDAwMDAwWhgPMjEy
        MDAxMDEwMDAwMDBaMBMxETAPBgNVBAoMCHJlc3Rob3N0MFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAERGonw/BAVl7Db1IgDntlpyOn0KMDdyws0ozt3Cs6l1enYvNE
        ilpwKN2W9/Nf0eoNSjJUgIH2vkV4Zgr0w8Udf6NXMFUwDAYDVR0TAQH/BAIwADBF
        BgNVHREEPjA8gRBwYWdlQGV4YW1wbGUub3Jngg1wYWdlLmludGVybmFshhlzcGlm
        ZmU6Ly9leGFtcGxlLm9yZy9wYWdlMAoGCCqGSM49BAMCA0gAMEUCIQCZK+5WGL9d
        TfBJEXiRDz/5Dm2gGEENZy9EyCP9dru39AIgYOcMtDiDVYBK/HAvzZdRNs6GDsLk
        X3UVGkvVnrMyH/I=
        -----END CERTIFICATE-----
        """
    public static let pageKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+N9+3arGfuyDA9Uh
        xjXKZSDrvtQxVl6Lf17IA46St/ahRANCAAREaifD8EBWXsNvUiAOe2WnI6fQowN3
        LCzSjO3cKzqXV6di80SKWnAo3Zb381/R6g1KMlSAgfa+RXhmCvTDxR1/
        -----END PRIVATE KEY-----
        """
    /// `backend` by `otherAuthority`.
    public static let stranger = """
        -----BEGIN CERTIFICATE-----
        MIIBQTCB6KADAgECAhQ/anRCuvjDJnEGC+RXGJu7qDBxETAKBggqhkjOPQQDAjAc
        MRowGAYDVQQDDBFhbm90aGVyIGF1dGhvcml0eTAgFw0wMDAxMDEwMDAwMDBaGA8y
        MTIwMDEwMTAwMDAwMFowEjEQMA4GA1UEAwwHYmFja2VuZDBZMBMGByqGSM49AgEG
        CCqGSM49AwEHA0IABGrx6JIpKZueRt7JMFGSXdRRCtRMnvH3mf97mkTdiBZg8S8u
        N7iUBX4QCNwn0pHTpoHsLILho/r7sZa/jROX8dejEDAOMAwGA1UdEwEB/wQCMAAw
        CgYIKoZIzj0EAwIDSAAwRQIhAKMK9/nnhlF/gZYQQAj8KcHGGsDiwmEgfFbvYqyn
        pRuWAiAHtez6vxpZLajf/9NmkdqPZ3azZk9z1oZmoBYPeOKiDw==
        -----END CERTIFICATE-----
        """
    public static let strangerKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNcgipJ068DwpUJtv
        zcyDHP7k1ahr+8HLMR9BkhOwUhChRANCAARq8eiSKSmbnkbeyTBRkl3UUQrUTJ7x
        95n/e5pE3YgWYPEvLje4lAV+EAjcJ9KR06aB7CyC4aP6+7GWv40Tl/HX
        -----END PRIVATE KEY-----
        """
    /// `backend` until 2001.
    public static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBPTCB46ADAgECAhRgfsYKioyHBnkpJCbhYKu/UKAIaDAKBggqhkjOPQQDAjAZ
        MRcwFQYDVQQDDA5yZXN0aG9zdCB0ZXN0czAeFw0wMDAxMDEwMDAwMDBaFw0wMTAx
        MDEwMDAwMDBaMBIxEDAOBgNVBAMMB2JhY2tlbmQwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAQ8EXa18VzZKJTMt/OapzKL7gq9XlmmBFA8aCQI3APxrQabTn8LEIrD
        0eCMUVERs4sbLAIzEx/pSBmVtEge1qfkoxAwDjAMBgNVHRMBAf8EAjAAMAoGCCqG
        SM49BAMCA0kAMEYCIQCK0t275HNLM8s0n6cV4eBDCVE0ZaeEsRHTAra6GrXuPAIh
        AI9Aq1iE2gkfzaKfo/T05PgtrPAYT1Vvk+xwfxy1PWqp
        -----END CERTIFICATE-----
        """
    public static let expiredKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9WlvW121VtSji8Hs
        Y5r30Msz4fHe3/ifVjMSu0CN3b6hRANCAAQ8EXa18VzZKJTMt/OapzKL7gq9Xlmm
        BFA8aCQI3APxrQabTn8LEIrD0eCMUVERs4sbLAIzEx/pSBmVtEge1qfk
        -----END PRIVATE KEY-----
        """
    /// With a passphrase.
    public static let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIH0MF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBArykEBZJzTXObe3s/E
        +wsHAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQYJLKxB/UBx5oD8oF
        XzvJsQSBkOJPu1GXD6o97fuWhaMPg/v41aq1T5xVfH32mOYKstyXyatFGb4skpJ6
        bYiv/7jw7EcOI39aSIqVunybQRoqOW1cdPiVItF7y84Y7VfsdtD9wTNlWcC5qwYX
        3qePwP1MAxmQI7ELuoobsYLwh+0vDt6q5/SgqO4LJyy1gxQobGt54HRNdO0t3O6T
        u55MHuZIAA==
        -----END ENCRYPTED PRIVATE KEY-----
        """
}

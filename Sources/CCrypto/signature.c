#include "ccrypto.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <string.h>

enum { least_rsa_bits = 2048, most_rsa_bits = 8192 };

// Without it the library would ask for a password on the terminal.
static int no_password(char *buffer, int size, int writes, void *data) {
    (void)buffer, (void)size, (void)writes, (void)data;
    return -1;
}

static EVP_PKEY *read_private(const void *pem, size_t count) {
    BIO *bio = count > INT_MAX ? NULL : BIO_new_mem_buf(pem, (int)count);
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL) : NULL;
    BIO_free(bio);
    return key;
}

static EVP_PKEY *read_public(const void *pem, size_t count) {
    BIO *bio = count > INT_MAX ? NULL : BIO_new_mem_buf(pem, (int)count);
    if (!bio) return NULL;
    EVP_PKEY *key = PEM_read_bio_PUBKEY(bio, NULL, no_password, NULL);
    if (!key && BIO_reset(bio) == 1) {
        X509 *certificate = PEM_read_bio_X509(bio, NULL, no_password, NULL);
        key = certificate ? X509_get_pubkey(certificate) : NULL;
        X509_free(certificate);
    }
    BIO_free(bio);
    return key;
}

static const EVP_MD *digest_of(ccrypto_hash hash) {
    switch (hash) {
    case CCRYPTO_SHA256: return EVP_sha256();
    case CCRYPTO_SHA384: return EVP_sha384();
    case CCRYPTO_SHA512: return EVP_sha512();
    default: return NULL;
    }
}

// The bytes of each of the two numbers of an ECDSA signature; 0 for a key on another curve.
static size_t size_of_number(const EVP_PKEY *key, ccrypto_hash hash) {
    char name[64] = "";
    if (!EVP_PKEY_get_group_name(key, name, sizeof name, NULL)) return 0;
    switch (hash) {
    case CCRYPTO_SHA256: return strcmp(name, "prime256v1") == 0 ? 32 : 0;
    case CCRYPTO_SHA384: return strcmp(name, "secp384r1") == 0 ? 48 : 0;
    case CCRYPTO_SHA512: return strcmp(name, "secp521r1") == 0 ? 66 : 0;
    default: return 0;
    }
}

static int is_of(const EVP_PKEY *key, ccrypto_family family, ccrypto_hash hash) {
    switch (family) {
    case CCRYPTO_RSA_PKCS1:
    case CCRYPTO_RSA_PSS: {
        int bits = EVP_PKEY_get_bits(key);
        return EVP_PKEY_is_a(key, "RSA") && bits >= least_rsa_bits && bits <= most_rsa_bits;
    }
    case CCRYPTO_ECDSA: return EVP_PKEY_is_a(key, "EC") && size_of_number(key, hash) > 0;
    case CCRYPTO_EDDSA: return EVP_PKEY_is_a(key, "ED25519");
    }
    return 0;
}

static int set_padding(EVP_PKEY_CTX *context, ccrypto_family family) {
    if (family != CCRYPTO_RSA_PSS) return 1;
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) > 0;
}

// DER to the two numbers, in place.
static int flatten(unsigned char *signature, size_t *length, size_t size) {
    const unsigned char *der = signature;
    ECDSA_SIG *numbers = d2i_ECDSA_SIG(NULL, &der, (long)*length);
    int done = numbers && BN_bn2binpad(ECDSA_SIG_get0_r(numbers), signature, (int)size) > 0
        && BN_bn2binpad(ECDSA_SIG_get0_s(numbers), signature + size, (int)size) > 0;
    ECDSA_SIG_free(numbers);
    *length = 2 * size;
    return done;
}

// The two numbers to DER, which the caller frees; NULL on failure.
static unsigned char *unflatten(const unsigned char *signature, size_t length, size_t size, size_t *made) {
    if (length != 2 * size) return NULL;
    ECDSA_SIG *numbers = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, (int)size, NULL);
    BIGNUM *s = BN_bin2bn(signature + size, (int)size, NULL);
    unsigned char *der = NULL;
    if (numbers && r && s && ECDSA_SIG_set0(numbers, r, s)) {
        // The numbers belong to the signature now.
        r = s = NULL;
        int count = i2d_ECDSA_SIG(numbers, &der);
        *made = count > 0 ? (size_t)count : 0;
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(numbers);
    return der;
}

int ccrypto_sign(
    ccrypto_family family, ccrypto_hash hash, const void *pem, size_t pem_count, const void *bytes,
    size_t count, unsigned char *signature, size_t *length) {
    int result = CCRYPTO_WRONG_KEY;
    EVP_PKEY *key = read_private(pem, pem_count);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (key && context && is_of(key, family, hash)) {
        EVP_PKEY_CTX *options = NULL;
        const EVP_MD *digest = family == CCRYPTO_EDDSA ? NULL : digest_of(hash);
        *length = CCRYPTO_MAX_SIGNATURE;
        result = EVP_DigestSignInit(context, &options, digest, NULL, key) == 1
            && set_padding(options, family)
            && EVP_DigestSign(context, signature, length, bytes, count) == 1;
        if (result && family == CCRYPTO_ECDSA) result = flatten(signature, length, size_of_number(key, hash));
    }
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    // The queue of errors belongs to the thread, and libcurl reads it.
    ERR_clear_error();
    return result;
}

int ccrypto_verify(
    ccrypto_family family, ccrypto_hash hash, const void *pem, size_t pem_count, const void *bytes,
    size_t count, const unsigned char *signature, size_t length) {
    int result = CCRYPTO_WRONG_KEY;
    EVP_PKEY *key = read_public(pem, pem_count);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (key && context && is_of(key, family, hash)) {
        EVP_PKEY_CTX *options = NULL;
        const EVP_MD *digest = family == CCRYPTO_EDDSA ? NULL : digest_of(hash);
        unsigned char *der = NULL;
        if (family == CCRYPTO_ECDSA) {
            der = unflatten(signature, length, size_of_number(key, hash), &length);
            signature = der;
        }
        result = signature && EVP_DigestVerifyInit(context, &options, digest, NULL, key) == 1
            && set_padding(options, family)
            && EVP_DigestVerify(context, signature, length, bytes, count) == 1;
        OPENSSL_free(der);
    }
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return result;
}

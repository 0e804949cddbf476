#include "ccrypto.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <string.h>

// A number of RSA in this many bytes, at most: 8192 bits.
enum { most_modulus = 1024, most_exponent = 8 };

// Writes the key in PEM and frees it. 0 for no key, or one that doesn't fit.
static size_t write_pem(EVP_PKEY *key, char *pem, size_t room) {
    BIO *bio = key ? BIO_new(BIO_s_mem()) : NULL;
    size_t length = 0;
    if (bio && PEM_write_bio_PUBKEY(bio, key) == 1) {
        char *text = NULL;
        long count = BIO_get_mem_data(bio, &text);
        if (count > 0 && (size_t)count <= room) {
            memcpy(pem, text, (size_t)count);
            length = (size_t)count;
        }
    }
    BIO_free(bio);
    EVP_PKEY_free(key);
    // The queue of errors belongs to the thread, and libcurl reads it.
    ERR_clear_error();
    return length;
}

// The key of these parameters, which it frees; NULL if they make none.
static EVP_PKEY *key_of(const char *kind, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    if (!parameters || !context || EVP_PKEY_fromdata_init(context) != 1
        || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    return key;
}

size_t ccrypto_rsa_pem(
    const unsigned char *n, size_t n_count, const unsigned char *e, size_t e_count, char *pem, size_t room) {
    if (n_count == 0 || n_count > most_modulus || e_count == 0 || e_count > most_exponent) return 0;
    BIGNUM *modulus = BN_bin2bn(n, (int)n_count, NULL), *exponent = BN_bin2bn(e, (int)e_count, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *parameters = NULL;
    // An exponent of 1 would make every signature valid.
    if (modulus && exponent && builder && BN_is_odd(modulus) && BN_is_odd(exponent) && !BN_is_one(exponent)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent))
        parameters = OSSL_PARAM_BLD_to_param(builder);
    size_t length = write_pem(key_of("RSA", parameters), pem, room);
    OSSL_PARAM_BLD_free(builder);
    BN_free(modulus);
    BN_free(exponent);
    return length;
}

size_t ccrypto_ec_pem(
    ccrypto_hash hash, const unsigned char *x, const unsigned char *y, size_t count, char *pem, size_t room) {
    const char *group = hash == CCRYPTO_SHA256 ? "P-256"
        : hash == CCRYPTO_SHA384 ? "P-384" : hash == CCRYPTO_SHA512 ? "P-521" : NULL;
    size_t size = hash == CCRYPTO_SHA256 ? 32 : hash == CCRYPTO_SHA384 ? 48 : 66;
    if (!group || count != size) return 0;
    // An uncompressed point (SEC 1 2.3.3).
    unsigned char point[1 + 2 * 66] = {4};
    memcpy(point + 1, x, size);
    memcpy(point + 1 + size, y, size);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *parameters = NULL;
    if (builder && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, group, 0)
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 1 + 2 * size))
        parameters = OSSL_PARAM_BLD_to_param(builder);
    size_t length = write_pem(key_of("EC", parameters), pem, room);
    OSSL_PARAM_BLD_free(builder);
    return length;
}

size_t ccrypto_ed25519_pem(const unsigned char *x, size_t count, char *pem, size_t room) {
    return count == 32 ? write_pem(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, x, count), pem, room) : 0;
}

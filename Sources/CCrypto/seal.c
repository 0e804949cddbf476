#include "ccrypto.h"

#include <limits.h>
#include <openssl/evp.h>

// EVP_EncryptInit(3), "AEAD INTERFACE": a call without a buffer for the result takes data that is
// authenticated alone.

int ccrypto_seal(
    const unsigned char *key, const unsigned char *nonce, const void *about, size_t about_count,
    const unsigned char *plain, size_t count, unsigned char *sealed) {
    if (about_count > INT_MAX || count > INT_MAX - CCRYPTO_SEAL_TAG) return 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int length = 0, rest = 0;
    int done = context && EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce)
        && EVP_EncryptUpdate(context, NULL, &length, about, (int)about_count)
        && EVP_EncryptUpdate(context, sealed, &length, plain, (int)count)
        && EVP_EncryptFinal_ex(context, sealed + length, &rest)
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CCRYPTO_SEAL_TAG, sealed + count);
    EVP_CIPHER_CTX_free(context);
    return done;
}

int ccrypto_unseal(
    const unsigned char *key, const unsigned char *nonce, const void *about, size_t about_count,
    const unsigned char *sealed, size_t count, unsigned char *plain) {
    if (about_count > INT_MAX || count > INT_MAX - CCRYPTO_SEAL_TAG) return 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int length = 0, rest = 0;
    int done = context && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce)
        && EVP_DecryptUpdate(context, NULL, &length, about, (int)about_count)
        && EVP_DecryptUpdate(context, plain, &length, sealed, (int)count)
        && EVP_CIPHER_CTX_ctrl(
            context, EVP_CTRL_AEAD_SET_TAG, CCRYPTO_SEAL_TAG, (void *)(sealed + count))
        && EVP_DecryptFinal_ex(context, plain + length, &rest) > 0;
    EVP_CIPHER_CTX_free(context);
    return done;
}

// The system's OpenSSL 3. Function-like macros and macros with casts do not import into Swift; each
// one used is a static inline function here, and does nothing but expand its macro.
#ifndef VARDE_COPENSSL_SHIM_H
#define VARDE_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Macros over SSL_CTX_ctrl, whose last argument is a void pointer.

static inline int ssl_ctx_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline int ssl_ctx_set_max_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}

static inline void ssl_ctx_set_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_mode(context, mode);
}

static inline void ssl_ctx_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

static inline int ssl_ctx_set1_groups_list(SSL_CTX *context, const char *groups) {
    return (int)SSL_CTX_set1_groups_list(context, groups);
}

static inline void ssl_ctx_set_max_cert_list(SSL_CTX *context, long bytes) {
    SSL_CTX_set_max_cert_list(context, bytes);
}

// Macros over SSL_CTX_callback_ctrl, which casts the function to one without arguments.
static inline void ssl_ctx_set_server_name_callback(
    SSL_CTX *context,
    int (*callback)(SSL *, int *, void *),
    void *argument
) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
    SSL_CTX_set_tlsext_servername_arg(context, argument);
}

// A macro over SSL_ctrl that casts its argument to a void pointer.
static inline int ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

// Values built by the macro SSL_OP_BIT(), which does not import.

static inline uint64_t ssl_op_no_renegotiation(void) {
    return SSL_OP_NO_RENEGOTIATION;
}

static inline uint64_t ssl_op_no_compression(void) {
    return SSL_OP_NO_COMPRESSION;
}

static inline uint64_t ssl_op_cipher_server_preference(void) {
    return SSL_OP_CIPHER_SERVER_PREFERENCE;
}

static inline uint64_t ssl_op_prioritize_chacha(void) {
    return SSL_OP_PRIORITIZE_CHACHA;
}

// A macro that adds the file and line of its caller.
static inline void openssl_free(void *memory) {
    OPENSSL_free(memory);
}

// Macros over BIO_set_flags and BIO_clear_flags, with flags that are macros too.

static inline void bio_set_retry_read(BIO *bio) {
    BIO_set_retry_read(bio);
}

static inline void bio_clear_retry_flags(BIO *bio) {
    BIO_clear_retry_flags(bio);
}

// Parameters are named by string literals and keep pointers to them; Swift's end with the call.
static inline int evp_mac_set_hmac_sha256_key(EVP_MAC_CTX *context, const void *key, size_t length) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key, length),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_CTX_set_params(context, parameters);
}

// For the same reason; the values of EVP_PKEY_PUBLIC_KEY and the like do not import, either.
static inline int evp_pkey_fromdata_rsa(
    EVP_PKEY_CTX *context,
    EVP_PKEY **key,
    const BIGNUM *modulus,
    const BIGNUM *exponent
) {
    int result = 0;
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder != NULL
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent)
        && (parameters = OSSL_PARAM_BLD_to_param(builder)) != NULL) {
        result = EVP_PKEY_fromdata(context, key, EVP_PKEY_PUBLIC_KEY, parameters);
    }
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    return result;
}

// For the same reason.
static inline int evp_pkey_fromdata_p256(
    EVP_PKEY_CTX *context,
    EVP_PKEY **key,
    const unsigned char *point,
    size_t length
) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)SN_X9_62_prime256v1, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, length),
        OSSL_PARAM_construct_end(),
    };
    return EVP_PKEY_fromdata(context, key, EVP_PKEY_PUBLIC_KEY, parameters);
}

// A macro with a shift and a cast: 1 when the code stands for an errno value.
static inline int err_is_system_error(unsigned long code) {
    return ERR_SYSTEM_ERROR(code) ? 1 : 0;
}

#endif

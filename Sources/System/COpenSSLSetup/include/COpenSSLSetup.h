// COpenSSLSetup: keeps OpenSSL alive until the process has ended, and sets where its memory comes from.
#ifndef VARDE_OPENSSL_SETUP_H
#define VARDE_OPENSSL_SETUP_H

#include <stddef.h>

typedef void *_Nullable (*_Nonnull varde_openssl_allocate)(size_t size);
typedef void *_Nullable (*_Nonnull varde_openssl_reallocate)(void *_Nullable block, size_t size);
typedef void (*_Nonnull varde_openssl_release)(void *_Nullable block);

// Makes OpenSSL use these functions in place of malloc(3), realloc(3) and free(3), at any time. Blocks of
// malloc(3) are also given to `reallocate` and `release`.
//
// Returns 0 when OpenSSL has refused other memory at the start of the process, otherwise 1.
int varde_openssl_use_memory(
    varde_openssl_allocate allocate,
    varde_openssl_reallocate reallocate,
    varde_openssl_release release
);

#endif

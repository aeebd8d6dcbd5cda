#include "COpenSSLSetup.h"

#include <openssl/crypto.h>

// By default, exit() makes OpenSSL free memory that running threads, such as event loops, still use: the
// process crashes while it exits. Only the first call of OPENSSL_init_crypto(3) can turn that off, so this
// one comes before main.
__attribute__((constructor)) static void keep_openssl_until_the_process_ends(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

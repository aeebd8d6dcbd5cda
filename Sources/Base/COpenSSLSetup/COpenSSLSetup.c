#include "COpenSSLSetup.h"

#include <openssl/crypto.h>

// By default exit() has OpenSSL free what it shares between threads, while other threads, such as the event
// loops, go on using it: a crash at the very end. OPENSSL_init_crypto(3): only the first call decides, so
// this one comes before main.
__attribute__((constructor)) static void keep_openssl_until_the_process_ends(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

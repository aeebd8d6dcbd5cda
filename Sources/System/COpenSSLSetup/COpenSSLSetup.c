#include "COpenSSLSetup.h"

#include <openssl/crypto.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(varde_openssl_allocate) allocate = malloc;
static _Atomic(varde_openssl_reallocate) reallocate = realloc;
static _Atomic(varde_openssl_release) release = free;
static int has_memory = 0;

static void *allocate_block(size_t size, const char *file, int line) {
    (void)file, (void)line;
    return atomic_load_explicit(&allocate, memory_order_relaxed)(size);
}

static void *reallocate_block(void *block, size_t size, const char *file, int line) {
    (void)file, (void)line;
    return atomic_load_explicit(&reallocate, memory_order_relaxed)(block, size);
}

static void release_block(void *block, const char *file, int line) {
    (void)file, (void)line;
    atomic_load_explicit(&release, memory_order_relaxed)(block);
}

// Both calls have to come before OpenSSL does anything, so they come before main.
//
// By default, exit() makes OpenSSL free memory that running threads, such as event loops, still use: the
// process crashes while it exits. Only the first call of OPENSSL_init_crypto(3) can turn that off. It
// allocates, and afterwards CRYPTO_set_mem_functions(3) is refused.
__attribute__((constructor)) static void set_up_openssl(void) {
    has_memory = CRYPTO_set_mem_functions(allocate_block, reallocate_block, release_block);
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

int varde_openssl_use_memory(
    varde_openssl_allocate new_allocate,
    varde_openssl_reallocate new_reallocate,
    varde_openssl_release new_release
) {
    if (!has_memory) return 0;
    // First the one that has to know the blocks of the others.
    atomic_store(&release, new_release);
    atomic_store(&reallocate, new_reallocate);
    atomic_store(&allocate, new_allocate);
    return 1;
}

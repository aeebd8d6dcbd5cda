// COpenSSLSetup: keeps OpenSSL alive until the process has ended.
#ifndef VARDE_OPENSSL_SETUP_H
#define VARDE_OPENSSL_SETUP_H

// Nothing to call: COpenSSLSetup.c runs before main in every program that links it.

#endif

// COpenSSLSetup: keeps OpenSSL alive until the process has ended.
#ifndef VARDE_OPENSSL_SETUP_H
#define VARDE_OPENSSL_SETUP_H

// There is nothing to call: the constructor in COpenSSLSetup.c runs before main.

#endif

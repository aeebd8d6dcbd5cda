#include "CNotices.h"

// Clang knows #embed in every version of C, and calls it an extension in those before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char notices[] = {
#embed "../../../THIRD-PARTY-NOTICES"
    , 0
};

const char *varde_notices(void) {
    return notices;
}

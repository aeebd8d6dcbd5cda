// The system's libxml2. Nothing is added to it.
#ifndef VARDE_CLIBXML_SHIM_H
#define VARDE_CLIBXML_SHIM_H

// Debian builds libxml2 with ICU, and encoding.h then includes the headers of the system's ICU. Clang refuses a
// module with them beside Foundation's, which has the same types from another version of ICU. Only the end of the
// opaque struct _xmlCharEncodingHandler depends on the macro.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

#endif

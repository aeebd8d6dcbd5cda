// The system's libxml2. Nothing is added to it.
#ifndef VARDE_CLIBXML_SHIM_H
#define VARDE_CLIBXML_SHIM_H

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

#endif

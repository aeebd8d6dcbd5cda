#include "CTables.h"

// Clang knows #embed in every version of C, and calls it an extension in those before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char companies[] = {
#embed "companies.txt"
};
static const char company_aliases[] = {
#embed "company-aliases.txt"
};
static const char company_namesakes[] = {
#embed "company-namesakes.txt"
};

#define TABLE(bytes) ((struct varde_table){bytes, sizeof bytes})

struct varde_table varde_companies(void) { return TABLE(companies); }
struct varde_table varde_company_aliases(void) { return TABLE(company_aliases); }
struct varde_table varde_company_namesakes(void) { return TABLE(company_namesakes); }

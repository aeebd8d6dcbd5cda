#include "CTables.h"
#include "CTableFiles.h"

#define TABLE(name, file) \
    struct varde_table varde_##name(void) { return (struct varde_table){file, varde_text_##name}; }

TABLE(companies, "companies.txt")
TABLE(company_aliases, "company-aliases.txt")
TABLE(company_namesakes, "company-namesakes.txt")

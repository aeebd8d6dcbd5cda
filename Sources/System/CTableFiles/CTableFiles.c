#include "CTableFiles.h"

// Clang knows #embed in every version of C, and calls it an extension in those before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Every file of tables/, in the order of the names: a test compares them.
const char varde_text_companies[] = {
#embed "tables/companies.txt" suffix(, 0)
};
const char varde_text_company_aliases[] = {
#embed "tables/company-aliases.txt" suffix(, 0)
};
const char varde_text_company_namesakes[] = {
#embed "tables/company-namesakes.txt" suffix(, 0)
};

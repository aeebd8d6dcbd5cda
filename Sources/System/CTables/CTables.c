#include "CTables.h"
#include "CTableFiles.h"

#define TABLE(name, file) \
    struct varde_table varde_##name(void) { return (struct varde_table){file, varde_text_##name}; }

TABLE(companies, "companies.txt")
TABLE(company_aliases, "company-aliases.txt")
TABLE(company_namesakes, "company-namesakes.txt")
TABLE(reasons, "reasons.txt")
TABLE(topics_danish, "topics-danish.txt")
TABLE(topics_english, "topics-english.txt")
TABLE(topics_french, "topics-french.txt")
TABLE(topics_german, "topics-german.txt")
TABLE(topics_norwegian, "topics-norwegian.txt")
TABLE(topics_other_languages, "topics-other-languages.txt")
TABLE(topics_spanish, "topics-spanish.txt")
TABLE(topics_swedish, "topics-swedish.txt")

#include "CTables.h"
#include "CTableFiles.h"

#define TABLE(name, file) \
    struct varde_table varde_##name(void) { return (struct varde_table){file, varde_text_##name}; }

TABLE(advice, "advice.txt")
TABLE(business_words, "business-words.txt")
TABLE(categories, "categories.txt")
TABLE(common_words, "common-words.txt")
TABLE(companies, "companies.txt")
TABLE(company_aliases, "company-aliases.txt")
TABLE(company_contexts, "company-contexts.txt")
TABLE(company_namesakes, "company-namesakes.txt")
TABLE(economy, "economy.txt")
TABLE(events, "events.txt")
TABLE(horizons, "horizons.txt")
TABLE(name_surroundings, "name-surroundings.txt")
TABLE(reasons, "reasons.txt")
TABLE(sentiment, "sentiment.txt")
TABLE(symbols, "symbols.txt")
TABLE(topics_danish, "topics-danish.txt")
TABLE(topics_english, "topics-english.txt")
TABLE(topics_french, "topics-french.txt")
TABLE(topics_german, "topics-german.txt")
TABLE(topics_norwegian, "topics-norwegian.txt")
TABLE(topics_other_languages, "topics-other-languages.txt")
TABLE(topics_spanish, "topics-spanish.txt")
TABLE(topics_swedish, "topics-swedish.txt")
TABLE(url_parts, "url-parts.txt")

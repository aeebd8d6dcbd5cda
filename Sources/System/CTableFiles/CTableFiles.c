#include "CTableFiles.h"

// Clang knows #embed in every version of C, and calls it an extension in those before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Every file of tables/, in the order of the names: a test compares them.
const char varde_text_advice[] = {
#embed "tables/advice.txt" suffix(, 0)
};
const char varde_text_business_words[] = {
#embed "tables/business-words.txt" suffix(, 0)
};
const char varde_text_categories[] = {
#embed "tables/categories.txt" suffix(, 0)
};
const char varde_text_common_words[] = {
#embed "tables/common-words.txt" suffix(, 0)
};
const char varde_text_companies[] = {
#embed "tables/companies.txt" suffix(, 0)
};
const char varde_text_company_aliases[] = {
#embed "tables/company-aliases.txt" suffix(, 0)
};
const char varde_text_company_contexts[] = {
#embed "tables/company-contexts.txt" suffix(, 0)
};
const char varde_text_company_namesakes[] = {
#embed "tables/company-namesakes.txt" suffix(, 0)
};
const char varde_text_date_words[] = {
#embed "tables/date-words.txt" suffix(, 0)
};
const char varde_text_economy[] = {
#embed "tables/economy.txt" suffix(, 0)
};
const char varde_text_events[] = {
#embed "tables/events.txt" suffix(, 0)
};
const char varde_text_horizons[] = {
#embed "tables/horizons.txt" suffix(, 0)
};
const char varde_text_months[] = {
#embed "tables/months.txt" suffix(, 0)
};
const char varde_text_name_surroundings[] = {
#embed "tables/name-surroundings.txt" suffix(, 0)
};
const char varde_text_page_parts[] = {
#embed "tables/page-parts.txt" suffix(, 0)
};
const char varde_text_reasons[] = {
#embed "tables/reasons.txt" suffix(, 0)
};
const char varde_text_sentiment[] = {
#embed "tables/sentiment.txt" suffix(, 0)
};
const char varde_text_symbols[] = {
#embed "tables/symbols.txt" suffix(, 0)
};
const char varde_text_topics_danish[] = {
#embed "tables/topics-danish.txt" suffix(, 0)
};
const char varde_text_topics_english[] = {
#embed "tables/topics-english.txt" suffix(, 0)
};
const char varde_text_topics_french[] = {
#embed "tables/topics-french.txt" suffix(, 0)
};
const char varde_text_topics_german[] = {
#embed "tables/topics-german.txt" suffix(, 0)
};
const char varde_text_topics_norwegian[] = {
#embed "tables/topics-norwegian.txt" suffix(, 0)
};
const char varde_text_topics_other_languages[] = {
#embed "tables/topics-other-languages.txt" suffix(, 0)
};
const char varde_text_topics_spanish[] = {
#embed "tables/topics-spanish.txt" suffix(, 0)
};
const char varde_text_topics_swedish[] = {
#embed "tables/topics-swedish.txt" suffix(, 0)
};
const char varde_text_url_parts[] = {
#embed "tables/url-parts.txt" suffix(, 0)
};
const char varde_text_zone_abbreviations[] = {
#embed "tables/zone-abbreviations.txt" suffix(, 0)
};
const char varde_text_zones[] = {
#embed "tables/zones.txt" suffix(, 0)
};

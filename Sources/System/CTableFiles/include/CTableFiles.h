// The texts of the tables, within the program: see CNotices.h for the reason. Only CTables uses them, and
// only when it is linked: so a change of a word compiles CTableFiles.c and nothing else.
#ifndef VARDE_CTABLEFILES_H
#define VARDE_CTABLEFILES_H

// In UTF-8, with a zero byte at the end.
extern const char varde_text_advice[];
extern const char varde_text_business_words[];
extern const char varde_text_categories[];
extern const char varde_text_common_words[];
extern const char varde_text_companies[];
extern const char varde_text_company_aliases[];
extern const char varde_text_company_contexts[];
extern const char varde_text_company_namesakes[];
extern const char varde_text_date_words[];
extern const char varde_text_economy[];
extern const char varde_text_events[];
extern const char varde_text_horizons[];
extern const char varde_text_months[];
extern const char varde_text_name_surroundings[];
extern const char varde_text_page_parts[];
extern const char varde_text_reasons[];
extern const char varde_text_sentiment[];
extern const char varde_text_symbols[];
extern const char varde_text_topics_danish[];
extern const char varde_text_topics_english[];
extern const char varde_text_topics_french[];
extern const char varde_text_topics_german[];
extern const char varde_text_topics_norwegian[];
extern const char varde_text_topics_other_languages[];
extern const char varde_text_topics_spanish[];
extern const char varde_text_topics_swedish[];
extern const char varde_text_url_parts[];
extern const char varde_text_zone_abbreviations[];
extern const char varde_text_zones[];

#endif

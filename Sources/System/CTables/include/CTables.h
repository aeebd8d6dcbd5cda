// Tables of words and names, within the program. CONTRIBUTING.md describes their format.
#ifndef VARDE_CTABLES_H
#define VARDE_CTABLES_H

struct varde_table {
    // Of the file.
    const char *name;
    // In UTF-8, with a zero byte at the end.
    const char *text;
};

struct varde_table varde_advice(void);
struct varde_table varde_business_words(void);
struct varde_table varde_categories(void);
struct varde_table varde_common_words(void);
struct varde_table varde_companies(void);
struct varde_table varde_company_aliases(void);
struct varde_table varde_company_contexts(void);
struct varde_table varde_company_namesakes(void);
struct varde_table varde_date_words(void);
struct varde_table varde_economy(void);
struct varde_table varde_events(void);
struct varde_table varde_horizons(void);
struct varde_table varde_months(void);
struct varde_table varde_name_surroundings(void);
struct varde_table varde_page_parts(void);
struct varde_table varde_reasons(void);
struct varde_table varde_sentiment(void);
struct varde_table varde_symbols(void);
struct varde_table varde_topics_danish(void);
struct varde_table varde_topics_english(void);
struct varde_table varde_topics_french(void);
struct varde_table varde_topics_german(void);
struct varde_table varde_topics_norwegian(void);
struct varde_table varde_topics_other_languages(void);
struct varde_table varde_topics_spanish(void);
struct varde_table varde_topics_swedish(void);
struct varde_table varde_url_parts(void);
struct varde_table varde_zone_abbreviations(void);
struct varde_table varde_zones(void);

#endif

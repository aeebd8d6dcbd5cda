// The texts of the tables, within the program: see CNotices.h for the reason. Only CTables uses them, and
// only when it is linked: so a change of a word compiles CTableFiles.c and nothing else.
#ifndef VARDE_CTABLEFILES_H
#define VARDE_CTABLEFILES_H

// In UTF-8, with a zero byte at the end.
extern const char varde_text_companies[];
extern const char varde_text_company_aliases[];
extern const char varde_text_company_namesakes[];
extern const char varde_text_reasons[];
extern const char varde_text_topics_danish[];
extern const char varde_text_topics_english[];
extern const char varde_text_topics_french[];
extern const char varde_text_topics_german[];
extern const char varde_text_topics_norwegian[];
extern const char varde_text_topics_other_languages[];
extern const char varde_text_topics_spanish[];
extern const char varde_text_topics_swedish[];

#endif

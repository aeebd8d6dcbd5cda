#include "CDocuments.h"

// Clang knows #embed in every version of C, and calls it an extension in those before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

// The page that shows the documents.
static const char page_html[] = {
#embed "page.html"
};
static const char page_script[] = {
#embed "page.js"
};
static const char page_style[] = {
#embed "page.css"
};

// Every file of protocol/openapi and protocol/schemas, in the order of the names: a test compares them.
static const char openapi_accounts[] = {
#embed "../../../protocol/openapi/accounts.json"
};
static const char openapi_activity[] = {
#embed "../../../protocol/openapi/activity.json"
};
static const char openapi_alerts[] = {
#embed "../../../protocol/openapi/alerts.json"
};
static const char openapi_aurora[] = {
#embed "../../../protocol/openapi/aurora.json"
};
static const char openapi_common[] = {
#embed "../../../protocol/openapi/common.json"
};
static const char openapi_hub[] = {
#embed "../../../protocol/openapi/hub.json"
};
static const char openapi_news[] = {
#embed "../../../protocol/openapi/news.json"
};
static const char openapi_radar[] = {
#embed "../../../protocol/openapi/radar.json"
};
static const char openapi_server_api[] = {
#embed "../../../protocol/openapi/server-api.json"
};
static const char openapi_webhooks[] = {
#embed "../../../protocol/openapi/webhooks.json"
};
static const char schemas_accounts_error[] = {
#embed "../../../protocol/schemas/accounts-error.json"
};
static const char schemas_accounts_login[] = {
#embed "../../../protocol/schemas/accounts-login.json"
};
static const char schemas_activity_answers[] = {
#embed "../../../protocol/schemas/activity-answers.json"
};
static const char schemas_activity_data[] = {
#embed "../../../protocol/schemas/activity-data.json"
};
static const char schemas_activity_entry[] = {
#embed "../../../protocol/schemas/activity-entry.json"
};
static const char schemas_activity_error[] = {
#embed "../../../protocol/schemas/activity-error.json"
};
static const char schemas_activity_event[] = {
#embed "../../../protocol/schemas/activity-event.json"
};
static const char schemas_activity_explanation[] = {
#embed "../../../protocol/schemas/activity-explanation.json"
};
static const char schemas_activity_feed[] = {
#embed "../../../protocol/schemas/activity-feed.json"
};
static const char schemas_activity_film[] = {
#embed "../../../protocol/schemas/activity-film.json"
};
static const char schemas_activity_films[] = {
#embed "../../../protocol/schemas/activity-films.json"
};
static const char schemas_activity_friend_requests[] = {
#embed "../../../protocol/schemas/activity-friend-requests.json"
};
static const char schemas_activity_friends[] = {
#embed "../../../protocol/schemas/activity-friends.json"
};
static const char schemas_activity_login[] = {
#embed "../../../protocol/schemas/activity-login.json"
};
static const char schemas_activity_own_profile[] = {
#embed "../../../protocol/schemas/activity-own-profile.json"
};
static const char schemas_activity_profile[] = {
#embed "../../../protocol/schemas/activity-profile.json"
};
static const char schemas_activity_recommendations[] = {
#embed "../../../protocol/schemas/activity-recommendations.json"
};
static const char schemas_activity_reviews[] = {
#embed "../../../protocol/schemas/activity-reviews.json"
};
static const char schemas_activity_unread[] = {
#embed "../../../protocol/schemas/activity-unread.json"
};
static const char schemas_activity_values[] = {
#embed "../../../protocol/schemas/activity-values.json"
};
static const char schemas_activity_watchlist[] = {
#embed "../../../protocol/schemas/activity-watchlist.json"
};
static const char schemas_alerts_event[] = {
#embed "../../../protocol/schemas/alerts-event.json"
};
static const char schemas_aurora_conditions[] = {
#embed "../../../protocol/schemas/aurora-conditions.json"
};
static const char schemas_aurora_error[] = {
#embed "../../../protocol/schemas/aurora-error.json"
};
static const char schemas_aurora_event[] = {
#embed "../../../protocol/schemas/aurora-event.json"
};
static const char schemas_aurora_forecast[] = {
#embed "../../../protocol/schemas/aurora-forecast.json"
};
static const char schemas_aurora_hourly[] = {
#embed "../../../protocol/schemas/aurora-hourly.json"
};
static const char schemas_aurora_now[] = {
#embed "../../../protocol/schemas/aurora-now.json"
};
static const char schemas_aurora_oval[] = {
#embed "../../../protocol/schemas/aurora-oval.json"
};
static const char schemas_aurora_tonight[] = {
#embed "../../../protocol/schemas/aurora-tonight.json"
};
static const char schemas_aurora_values[] = {
#embed "../../../protocol/schemas/aurora-values.json"
};
static const char schemas_lifecycle_event[] = {
#embed "../../../protocol/schemas/lifecycle-event.json"
};
static const char schemas_news_answers[] = {
#embed "../../../protocol/schemas/news-answers.json"
};
static const char schemas_news_api_articles[] = {
#embed "../../../protocol/schemas/news-api-articles.json"
};
static const char schemas_news_api_error[] = {
#embed "../../../protocol/schemas/news-api-error.json"
};
static const char schemas_news_api_sources[] = {
#embed "../../../protocol/schemas/news-api-sources.json"
};
static const char schemas_news_api_summary[] = {
#embed "../../../protocol/schemas/news-api-summary.json"
};
static const char schemas_news_brief[] = {
#embed "../../../protocol/schemas/news-brief.json"
};
static const char schemas_news_error[] = {
#embed "../../../protocol/schemas/news-error.json"
};
static const char schemas_news_event[] = {
#embed "../../../protocol/schemas/news-event.json"
};
static const char schemas_news_feed[] = {
#embed "../../../protocol/schemas/news-feed.json"
};
static const char schemas_news_personal_feed[] = {
#embed "../../../protocol/schemas/news-personal-feed.json"
};
static const char schemas_news_signal[] = {
#embed "../../../protocol/schemas/news-signal.json"
};
static const char schemas_news_story_detail[] = {
#embed "../../../protocol/schemas/news-story-detail.json"
};
static const char schemas_news_story_groups[] = {
#embed "../../../protocol/schemas/news-story-groups.json"
};
static const char schemas_news_story[] = {
#embed "../../../protocol/schemas/news-story.json"
};
static const char schemas_news_values[] = {
#embed "../../../protocol/schemas/news-values.json"
};
static const char schemas_radar_budget[] = {
#embed "../../../protocol/schemas/radar-budget.json"
};
static const char schemas_radar_error[] = {
#embed "../../../protocol/schemas/radar-error.json"
};
static const char schemas_radar_event[] = {
#embed "../../../protocol/schemas/radar-event.json"
};
static const char schemas_radar_explanation[] = {
#embed "../../../protocol/schemas/radar-explanation.json"
};
static const char schemas_radar_interpretation[] = {
#embed "../../../protocol/schemas/radar-interpretation.json"
};
static const char schemas_radar_opinion[] = {
#embed "../../../protocol/schemas/radar-opinion.json"
};
static const char schemas_radar_trend[] = {
#embed "../../../protocol/schemas/radar-trend.json"
};
static const char schemas_radar_update[] = {
#embed "../../../protocol/schemas/radar-update.json"
};
static const char schemas_radar_values[] = {
#embed "../../../protocol/schemas/radar-values.json"
};
static const char schemas_radar[] = {
#embed "../../../protocol/schemas/radar.json"
};

#define FILE(name, array) {name, array, sizeof array}

static const struct varde_document documents[] = {
    FILE("openapi/page.html", page_html),
    FILE("openapi/page.js", page_script),
    FILE("openapi/page.css", page_style),
    FILE("openapi/accounts.json", openapi_accounts),
    FILE("openapi/activity.json", openapi_activity),
    FILE("openapi/alerts.json", openapi_alerts),
    FILE("openapi/aurora.json", openapi_aurora),
    FILE("openapi/common.json", openapi_common),
    FILE("openapi/hub.json", openapi_hub),
    FILE("openapi/news.json", openapi_news),
    FILE("openapi/radar.json", openapi_radar),
    FILE("openapi/server-api.json", openapi_server_api),
    FILE("openapi/webhooks.json", openapi_webhooks),
    FILE("schemas/accounts-error.json", schemas_accounts_error),
    FILE("schemas/accounts-login.json", schemas_accounts_login),
    FILE("schemas/activity-answers.json", schemas_activity_answers),
    FILE("schemas/activity-data.json", schemas_activity_data),
    FILE("schemas/activity-entry.json", schemas_activity_entry),
    FILE("schemas/activity-error.json", schemas_activity_error),
    FILE("schemas/activity-event.json", schemas_activity_event),
    FILE("schemas/activity-explanation.json", schemas_activity_explanation),
    FILE("schemas/activity-feed.json", schemas_activity_feed),
    FILE("schemas/activity-film.json", schemas_activity_film),
    FILE("schemas/activity-films.json", schemas_activity_films),
    FILE("schemas/activity-friend-requests.json", schemas_activity_friend_requests),
    FILE("schemas/activity-friends.json", schemas_activity_friends),
    FILE("schemas/activity-login.json", schemas_activity_login),
    FILE("schemas/activity-own-profile.json", schemas_activity_own_profile),
    FILE("schemas/activity-profile.json", schemas_activity_profile),
    FILE("schemas/activity-recommendations.json", schemas_activity_recommendations),
    FILE("schemas/activity-reviews.json", schemas_activity_reviews),
    FILE("schemas/activity-unread.json", schemas_activity_unread),
    FILE("schemas/activity-values.json", schemas_activity_values),
    FILE("schemas/activity-watchlist.json", schemas_activity_watchlist),
    FILE("schemas/alerts-event.json", schemas_alerts_event),
    FILE("schemas/aurora-conditions.json", schemas_aurora_conditions),
    FILE("schemas/aurora-error.json", schemas_aurora_error),
    FILE("schemas/aurora-event.json", schemas_aurora_event),
    FILE("schemas/aurora-forecast.json", schemas_aurora_forecast),
    FILE("schemas/aurora-hourly.json", schemas_aurora_hourly),
    FILE("schemas/aurora-now.json", schemas_aurora_now),
    FILE("schemas/aurora-oval.json", schemas_aurora_oval),
    FILE("schemas/aurora-tonight.json", schemas_aurora_tonight),
    FILE("schemas/aurora-values.json", schemas_aurora_values),
    FILE("schemas/lifecycle-event.json", schemas_lifecycle_event),
    FILE("schemas/news-answers.json", schemas_news_answers),
    FILE("schemas/news-api-articles.json", schemas_news_api_articles),
    FILE("schemas/news-api-error.json", schemas_news_api_error),
    FILE("schemas/news-api-sources.json", schemas_news_api_sources),
    FILE("schemas/news-api-summary.json", schemas_news_api_summary),
    FILE("schemas/news-brief.json", schemas_news_brief),
    FILE("schemas/news-error.json", schemas_news_error),
    FILE("schemas/news-event.json", schemas_news_event),
    FILE("schemas/news-feed.json", schemas_news_feed),
    FILE("schemas/news-personal-feed.json", schemas_news_personal_feed),
    FILE("schemas/news-signal.json", schemas_news_signal),
    FILE("schemas/news-story-detail.json", schemas_news_story_detail),
    FILE("schemas/news-story-groups.json", schemas_news_story_groups),
    FILE("schemas/news-story.json", schemas_news_story),
    FILE("schemas/news-values.json", schemas_news_values),
    FILE("schemas/radar-budget.json", schemas_radar_budget),
    FILE("schemas/radar-error.json", schemas_radar_error),
    FILE("schemas/radar-event.json", schemas_radar_event),
    FILE("schemas/radar-explanation.json", schemas_radar_explanation),
    FILE("schemas/radar-interpretation.json", schemas_radar_interpretation),
    FILE("schemas/radar-opinion.json", schemas_radar_opinion),
    FILE("schemas/radar-trend.json", schemas_radar_trend),
    FILE("schemas/radar-update.json", schemas_radar_update),
    FILE("schemas/radar-values.json", schemas_radar_values),
    FILE("schemas/radar.json", schemas_radar),
};

const struct varde_document *varde_document_at(unsigned long index) {
    return index < sizeof documents / sizeof *documents ? &documents[index] : 0;
}

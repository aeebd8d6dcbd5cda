// The files of console/, embedded. Written by console/embed.sh.
#include "CConsole.h"

// Clang knows #embed in every version of C, and calls it an extension in those before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char file_0[] = {
#embed "../../../console/app.js"
};
static const char file_1[] = {
#embed "../../../console/index.html"
};
static const char file_2[] = {
#embed "../../../console/lib/alerts.js"
};
static const char file_3[] = {
#embed "../../../console/lib/chart.js"
};
static const char file_4[] = {
#embed "../../../console/lib/clock.js"
};
static const char file_5[] = {
#embed "../../../console/lib/coast.js"
};
static const char file_6[] = {
#embed "../../../console/lib/connections.js"
};
static const char file_7[] = {
#embed "../../../console/lib/format.js"
};
static const char file_8[] = {
#embed "../../../console/lib/hooks.js"
};
static const char file_9[] = {
#embed "../../../console/lib/metrics.js"
};
static const char file_10[] = {
#embed "../../../console/lib/oval.js"
};
static const char file_11[] = {
#embed "../../../console/lib/parts.js"
};
static const char file_12[] = {
#embed "../../../console/lib/samples.js"
};
static const char file_13[] = {
#embed "../../../console/lib/session.js"
};
static const char file_14[] = {
#embed "../../../console/lib/skill.js"
};
static const char file_15[] = {
#embed "../../../console/lib/sky.js"
};
static const char file_16[] = {
#embed "../../../console/lib/statistics.js"
};
static const char file_17[] = {
#embed "../../../console/lib/stream.js"
};
static const char file_18[] = {
#embed "../../../console/lib/swarm-worker.js"
};
static const char file_19[] = {
#embed "../../../console/lib/swarm.js"
};
static const char file_20[] = {
#embed "../../../console/lib/token.js"
};
static const char file_21[] = {
#embed "../../../console/lib/treemap.js"
};
static const char file_22[] = {
#embed "../../../console/lib/views.js"
};
static const char file_23[] = {
#embed "../../../console/lib/worker.js"
};
static const char file_24[] = {
#embed "../../../console/style.css"
};
static const char file_25[] = {
#embed "../../../console/vendor/preact-htm.js"
};
static const char file_26[] = {
#embed "../../../console/vendor/uplot.css"
};
static const char file_27[] = {
#embed "../../../console/vendor/uplot.js"
};
static const char file_28[] = {
#embed "../../../console/views/activity.js"
};
static const char file_29[] = {
#embed "../../../console/views/alerts.js"
};
static const char file_30[] = {
#embed "../../../console/views/api.js"
};
static const char file_31[] = {
#embed "../../../console/views/aurora.js"
};
static const char file_32[] = {
#embed "../../../console/views/connections.js"
};
static const char file_33[] = {
#embed "../../../console/views/doors.js"
};
static const char file_34[] = {
#embed "../../../console/views/explain.js"
};
static const char file_35[] = {
#embed "../../../console/views/feeds.js"
};
static const char file_36[] = {
#embed "../../../console/views/latency.js"
};
static const char file_37[] = {
#embed "../../../console/views/news.js"
};
static const char file_38[] = {
#embed "../../../console/views/now.js"
};
static const char file_39[] = {
#embed "../../../console/views/radar.js"
};
static const char file_40[] = {
#embed "../../../console/views/replay.js"
};
static const char file_41[] = {
#embed "../../../console/views/topics.js"
};
static const char file_42[] = {
#embed "../../../console/views/try.js"
};
static const char file_43[] = {
#embed "../../../console/views/webhooks.js"
};

#define FILE(name, array) {name, array, sizeof array}

static const struct varde_console_file files[] = {
    FILE("app.js", file_0),
    FILE("index.html", file_1),
    FILE("lib/alerts.js", file_2),
    FILE("lib/chart.js", file_3),
    FILE("lib/clock.js", file_4),
    FILE("lib/coast.js", file_5),
    FILE("lib/connections.js", file_6),
    FILE("lib/format.js", file_7),
    FILE("lib/hooks.js", file_8),
    FILE("lib/metrics.js", file_9),
    FILE("lib/oval.js", file_10),
    FILE("lib/parts.js", file_11),
    FILE("lib/samples.js", file_12),
    FILE("lib/session.js", file_13),
    FILE("lib/skill.js", file_14),
    FILE("lib/sky.js", file_15),
    FILE("lib/statistics.js", file_16),
    FILE("lib/stream.js", file_17),
    FILE("lib/swarm-worker.js", file_18),
    FILE("lib/swarm.js", file_19),
    FILE("lib/token.js", file_20),
    FILE("lib/treemap.js", file_21),
    FILE("lib/views.js", file_22),
    FILE("lib/worker.js", file_23),
    FILE("style.css", file_24),
    FILE("vendor/preact-htm.js", file_25),
    FILE("vendor/uplot.css", file_26),
    FILE("vendor/uplot.js", file_27),
    FILE("views/activity.js", file_28),
    FILE("views/alerts.js", file_29),
    FILE("views/api.js", file_30),
    FILE("views/aurora.js", file_31),
    FILE("views/connections.js", file_32),
    FILE("views/doors.js", file_33),
    FILE("views/explain.js", file_34),
    FILE("views/feeds.js", file_35),
    FILE("views/latency.js", file_36),
    FILE("views/news.js", file_37),
    FILE("views/now.js", file_38),
    FILE("views/radar.js", file_39),
    FILE("views/replay.js", file_40),
    FILE("views/topics.js", file_41),
    FILE("views/try.js", file_42),
    FILE("views/webhooks.js", file_43),
};

const struct varde_console_file *varde_console_file_at(unsigned long index) {
    return index < sizeof files / sizeof *files ? &files[index] : 0;
}

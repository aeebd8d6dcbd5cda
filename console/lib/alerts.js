// What the pictures of alerts show, from rules, histories and the list of alerts: values in, values out.

/** Whether a pattern of a rule (`aurora:tromso`, `aurora:*`, `*`) has a topic. */
export function matches(pattern, topic) {
  return pattern === "*" || pattern === topic || (pattern.endsWith(":*") && topic.startsWith(pattern.slice(0, -1)));
}

/** The bounds in a condition: `[{name, comparison, value}]` for each comparison of a name with a number. */
export function thresholds(condition) {
  const found = [];
  const turned = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!=" };
  const name = "([A-Za-z_][A-Za-z0-9_.]*)";
  const number = "(-?\\d+(?:\\.\\d+)?)";
  const comparison = "\\s*(<=|>=|==|!=|<|>)\\s*";
  // Texts in double quotes are not names.
  const text = (condition ?? "").replace(/"[^"]*"/g, '""');
  for (const [, first, sign, value, other, reverse, last] of text.matchAll(
    new RegExp(`${name}${comparison}${number}|${number}${comparison}${name}`, "g"),
  )) {
    if (first !== undefined) found.push({ name: first, comparison: sign, value: Number(value) });
    else found.push({ name: last, comparison: turned[reverse], value: Number(other) });
  }
  return found;
}

/** All bounds of a rule: `[{name, comparison, value, kind}]`, kind `when`, `until` or `escalate`. */
export function bounds(rule) {
  const of = (condition, kind) => thresholds(condition).map((each) => ({ ...each, kind }));
  return [...of(rule.when, "when"), ...of(rule.until, "until"),
    ...(rule.escalate ?? []).flatMap((each) => of(each.when, "escalate"))];
}

const UNITS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** The milliseconds of a duration such as `5m`; 0 for other texts. */
export function milliseconds(text) {
  let sum = 0;
  for (const [, number, unit] of String(text ?? "").matchAll(/(\d+)(ms|[smhd])/g)) sum += Number(number) * UNITS[unit];
  return sum * 1000;
}

/** The object that rules evaluate: the `data` of a CloudEvent, or the publication itself. */
export function body(data) {
  if (data === null || typeof data !== "object") return {};
  return data.specversion === "1.0" && data.data !== null && typeof data.data === "object" ? data.data : data;
}

/** The time of a publication in milliseconds, which a CloudEvent has; null without one. */
export function timeOf(data) {
  const text = data?.time ?? body(data).time;
  const time = typeof text === "string" ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? null : time;
}

/** The value at a path such as `solar_wind.speed`; undefined without one. */
export function valueAt(data, path) {
  let value = data;
  for (const name of path.split(".")) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** The numbers at a path over time, `[[milliseconds, number]]`, from publications oldest first. */
export function points(publications, path) {
  const found = [];
  for (const { data } of publications) {
    const time = timeOf(data);
    const value = valueAt(body(data), path);
    if (time !== null && typeof value === "number") found.push([time, value]);
  }
  return found;
}

/** The first number that a rule used; undefined without one. */
function valueOf({ values }) {
  return Object.values(values ?? {}).find((each) => typeof each === "number");
}

/**
 * The alerts in the history of a topic of alerts, oldest first.
 *
 * @returns `[{id, rule, subject, severity, raised, ended, parts: [{from, to, severity}], headline, value}]`; times in
 *   milliseconds, `ended` and the last `to` null while the alert stands.
 */
export function alertsFrom(publications) {
  const alerts = new Map();
  for (const { data } of publications) {
    const event = body(data);
    const time = timeOf(data);
    if (typeof event.alert_id !== "string" || time === null) continue;
    let alert = alerts.get(event.alert_id);
    if (alert === undefined) {
      const raised = Date.parse(event.since) || time;
      // The first of its events may have left the history.
      const severity = event.previous_severity ?? event.severity;
      alert = { id: event.alert_id, rule: event.rule, subject: data.subject ?? "", severity, raised, ended: null,
        parts: [{ from: raised, to: null, severity }], headline: "", value: null };
      alerts.set(event.alert_id, alert);
    }
    if (event.state === "escalated" && event.severity !== alert.severity) {
      alert.parts.at(-1).to = time;
      alert.parts.push({ from: time, to: null, severity: event.severity });
    }
    if (event.state === "cleared") alert.parts.at(-1).to = alert.ended = time;
    alert.severity = event.severity;
    alert.headline = typeof event.headline === "string" ? event.headline : alert.headline;
    // The value that ended an alert is none that it was raised by.
    if (event.state !== "cleared") alert.value = valueOf(event) ?? alert.value;
  }
  return [...alerts.values()];
}

/** Alerts of histories with what the list of `/api/alerts` has about them; those only in the list are added. */
export function merged(alerts, listed) {
  const known = new Map(alerts.map((alert) => [alert.id, alert]));
  for (const each of listed) {
    const raised = Date.parse(each.raised);
    const ended = each.ended === null ? null : Date.parse(each.ended);
    const alert = known.get(each.id) ?? { id: each.id, rule: each.rule, subject: each.subject, headline: "", raised,
      parts: [{ from: raised, to: ended, severity: each.severity }] };
    known.set(each.id, { ...alert, severity: each.severity, ended, value: valueOf(each) ?? alert.value ?? null,
      headline: each.headline ?? alert.headline, topic: each.topic, acknowledged: each.acknowledged ?? null,
      silenced: each.silenced === true });
  }
  return [...known.values()].sort((a, b) => b.raised - a.raised);
}

/** The milliseconds by which a zone's clock is ahead of UTC at a time. */
function zoneOffset(zone, time) {
  const fixed = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (fixed) return (fixed[1] === "-" ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000;
  const form = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric",
    day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" });
  const part = Object.fromEntries(form.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const wall = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second);
  return wall - Math.floor(time / 1000) * 1000;
}

const DAY = 86_400_000;

/** The quiet hours of a rule within a span: `[[from, to]]` in milliseconds; none for a zone that the browser lacks. */
export function quietSpans(quiet, [from, to]) {
  if (!quiet) return [];
  const ofDay = (text) => Number(text.slice(0, 2)) * 3_600_000 + Number(text.slice(3, 5)) * 60_000;
  const [start, end] = [ofDay(quiet.from), ofDay(quiet.to)];
  const found = [];
  try {
    const zone = quiet.zone ?? "UTC";
    const at = (wall) => wall - zoneOffset(zone, wall - zoneOffset(zone, wall));
    for (let day = Math.floor(from / DAY) * DAY - 2 * DAY; day <= to + DAY; day += DAY) {
      const begin = Math.max(from, at(day + start));
      const finish = Math.min(to, at(day + end + (end <= start ? DAY : 0)));
      if (begin < finish) found.push([begin, finish]);
    }
  } catch {
    return [];
  }
  return found;
}

/** The topics that rules may look at, from exact patterns and from the topics with subscribers. */
export function topicsOf(rules, channels) {
  const subscribed = channels.map((name) => name.replace(/:alerts$/, ""));
  const exact = rules.map(({ rule }) => rule.topics).filter((pattern) => !pattern.includes("*"));
  const looked = subscribed.filter((topic) => rules.some(({ rule }) => matches(rule.topics, topic)));
  return [...new Set([...exact, ...looked])].sort();
}

/** The topic to show first: one with an active alert, else one that has had alerts, else any of `topics`. */
export function topicToShow(topics, alerts) {
  const [first] = [...alerts.filter(({ ended }) => ended === null), ...alerts];
  return first?.topic.replace(/:alerts$/, "") ?? topics[0] ?? "";
}

// Alerts: the value that rules look at with their bounds, a lane of alerts for each rule, and an editor of rules.

import { html, useState } from "../vendor/preact-htm.js";
import { Action, Badge, Empty, Loaded, Refused, Table, Time } from "../lib/parts.js";
import { useHistory, useLoaded, useOptional, useQuery, useRoute } from "../lib/hooks.js";
import { count, moment } from "../lib/format.js";
import { call, load, request } from "../lib/session.js";
import { Chart, Legend, TimeAxis, extent, scale, steps, ticks } from "../lib/chart.js";
import {
  alertsFrom, bounds, matches, merged, milliseconds, points, quietSpans, topicToShow, topicsOf,
} from "../lib/alerts.js";

const SECONDS = 5;
const PUBLICATIONS = 1000;
const LISTED = 200;
const SPANS = [[3600, "1 hour"], [21_600, "6 hours"], [43_200, "12 hours"], [86_400, "1 day"], [604_800, "7 days"]];
const TONES = { info: "", warning: "warn", critical: "bad" };
const HEIGHT = 180;

function Curve({ points, bounds, span, name }) {
  const shown = points.filter(([time], index) => time <= span[1] && (points[index + 1]?.[0] ?? Infinity) >= span[0]);
  const range = extent([...shown.map(([, value]) => value), ...bounds.map(({ value }) => value)]);
  if (shown.length === 0) return html`<p
    class="soft">No publication in this time has a number named ${name} and a time.</p>`;
  const margin = (range[1] - range[0]) * 0.08 || 1;
  const label = `${name} over time, ${shown.length} values, with ${bounds.length} bounds`;
  return html`<${Chart} label=${label} height=${HEIGHT}>${(width) => {
    const x = scale(span, [0, width]);
    const y = scale([range[0] - margin, range[1] + margin], [HEIGHT - 6, 6]);
    return html`<g class="axis">${ticks(range, 4).map((value) => html`<g key=${value}>
        <line x1="0" x2=${width} y1=${y(value)} y2=${y(value)} /><text x="4"
          y=${y(value) - 3}>${count(value)}</text></g>`)}</g>
      ${bounds.map((bound) => html`<g class=${`bound ${bound.kind}`}><line x1="0" x2=${width} y1=${y(bound.value)}
        y2=${y(bound.value)} />
        <text x=${width - 6} y=${y(bound.value) + (bound.kind === "until" ? 13 : -4)}
          text-anchor="end">${bound.rule}: ${bound.kind} ${bound.comparison} ${bound.value}</text></g>`)}
      <path class="curve" d=${`${steps(shown, x, y)}H${width}`} />`;
  }}<//>`;
}

function Lane({ rule, alerts, silences, span }) {
  const active = alerts.filter(({ ended }) => ended === null).length;
  const label = `${rule.name}: ${alerts.length} alerts, ${active} of them active`;
  return html`<${Chart} label=${label} height=${34}>${(width) => {
    const x = scale(span, [0, width]);
    const box = (from, to, kind, y, height) => {
      const [start, end] = [Math.max(span[0], from), Math.min(span[1], to)];
      return start < end && html`<rect class=${kind} x=${x(start)} width=${Math.max(2, x(end) - x(start))} y=${y}
        height=${height} />`;
    };
    return html`<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)">
        <line x1="0" y1="0" x2="0" y2="6" class="hatch" /></pattern></defs>
      ${[...quietSpans(rule.quiet, span), ...silences].map(([from, to]) => box(from, to, "quiet", 0, 34))}
      ${alerts.map((alert) => html`<g key=${alert.id}>
        ${box(alert.raised - milliseconds(rule.hold), alert.raised, "hold", 13, 8)}
        ${alert.ended !== null && box(alert.ended, alert.ended + milliseconds(rule.cooldown), "cooldown", 13, 8)}
        ${alert.parts.map((part) => box(part.from, part.to ?? span[1], `alert ${part.severity}`, 7, 20))}
        ${alert.silenced && box(alert.raised, alert.ended ?? span[1], "quiet", 7, 20)}
        <title>${alert.headline || alert.rule}: ${alert.severity} since ${moment(alert.raised)}</title></g>`)}`;
  }}<//>`;
}

/** What the list of alerts allows: acknowledge one, silence its rule for an hour. */
function AlertActions({ alert, reload }) {
  const acknowledge = () => load(`/api/alerts/${encodeURIComponent(alert.id)}/acknowledge`, { json: {} }).then(reload);
  const until = () => new Date(Date.now() + 3_600_000).toISOString();
  const { rule, subject } = alert;
  const silence = () => load("/api/alerts/silences", { json: { rule, subject, until: until() } }).then(reload);
  return html`${alert.ended === null && !alert.acknowledged && html`<${Action} label="Acknowledge"
    question="Acknowledge it?"
      act=${acknowledge} />`}
    ${alert.ended === null && !alert.silenced && html` <${Action} label="Silence for 1 h"
      question="Send no webhook for this rule and subject?" act=${silence} />`}`;
}

function stateOf(alert) {
  if (alert.ended !== null) return "ended";
  return alert.parts.length > 1 ? "escalated" : "raised";
}

function Alerts({ alerts, isListed, reload }) {
  const columns = [
    { name: "Rule", value: (row) => row.rule },
    { name: "Severity", value: (row) => html`<${Badge} state=${TONES[row.severity] ?? ""}>${row.severity}<//>` },
    { name: "State", value: (row) => html`<${Badge} state=${row.ended === null ? "bad" : ""}>${stateOf(row)}<//>` },
    { name: "Raised", value: (row) => html`<${Time} at=${new Date(row.raised).toISOString()}
      text=${moment(row.raised)} />` },
    { name: "Ended", value: (row) => (row.ended === null ? "" : moment(row.ended)) },
    { name: "Value", number: true, value: (row) => count(row.value) },
    { name: "Headline", value: (row) => row.headline },
  ];
  if (isListed) {
    columns.push(
      { name: "Seen by", value: ({ acknowledged: seen }) => seen && `${seen.by} ${seen.note ?? ""}` },
      { name: "Silenced", value: (row) => (row.silenced ? "yes" : "") },
      { name: "", value: (row) => html`<${AlertActions} alert=${row} reload=${reload} />` },
    );
  }
  return html`<${Table} caption="Alerts of the topic, newest first" rows=${alerts} keyOf=${(row) => row.id}
    columns=${columns} />`;
}

/** The active alerts of every topic. */
function Active({ alerts, reload }) {
  const active = merged([], alerts.filter(({ ended }) => ended === null));
  if (active.length === 0) return null;
  const topicOf = (row) => row.topic.replace(/:alerts$/, "");
  return html`<${Table} caption="Active alerts, all topics" rows=${active} keyOf=${(row) => row.id} columns=${[
    { name: "Rule", value: (row) => row.rule },
    { name: "Topic", value: (row) => html`<a
      href=${`alerts?${new URLSearchParams({ topic: topicOf(row) })}`}><code>${topicOf(row)}</code></a>` },
    { name: "Severity", value: (row) => html`<${Badge} state=${TONES[row.severity] ?? ""}>${row.severity}<//>` },
    { name: "Raised", value: (row) => html`<${Time} at=${new Date(row.raised).toISOString()}
      text=${moment(row.raised)} />` },
    { name: "Headline", value: (row) => row.headline },
    { name: "Seen by", value: ({ acknowledged: seen }) => seen && `${seen.by} ${seen.note ?? ""}` },
    { name: "Silenced", value: (row) => (row.silenced ? "yes" : "") },
    { name: "", value: (row) => html`<${AlertActions} alert=${row} reload=${reload} />` },
  ]} />`;
}

function Silences({ silences, reload }) {
  if (silences.length === 0) return null;
  const end = (row) => load(`/api/alerts/silences/${encodeURIComponent(row.id)}`, { method: "DELETE" }).then(reload);
  return html`<${Table} caption="Silences" rows=${silences} keyOf=${(row) => row.id} columns=${[
    { name: "Rule", value: (row) => row.rule ?? "every rule" },
    { name: "Subject", value: (row) => row.subject ?? "every subject" },
    { name: "Until", value: (row) => moment(row.until) },
    { name: "By", value: (row) => row.by ?? "" },
    { name: "Note", value: (row) => row.note ?? "" },
    { name: "", value: (row) => html`<${Action} label="End" question="End the silence?" act=${() => end(row)} />` },
  ]} />`;
}

function TopicAlerts({ topic, rules, listed, now, span }) {
  const [chosen, choose] = useQuery("value");
  const history = useHistory(topic, PUBLICATIONS);
  const past = useHistory(`${topic}:alerts`, 200);
  const silences = useOptional("/api/alerts/silences", listed.value?.isMissing ? 0 : SECONDS);
  const reload = () => {
    listed.reload();
    silences.reload();
    past.reload();
  };
  const own = rules.filter(({ rule }) => matches(rule.topics, topic));
  const all = own.flatMap(({ rule }) => bounds(rule).map((bound) => ({ ...bound, rule: rule.name })));
  const names = [...new Set(all.map(({ name }) => name))];
  const name = names.includes(chosen) ? chosen : names[0];
  const mine = (listed.value?.alerts ?? []).filter((each) => each.topic === `${topic}:alerts`);
  const alerts = merged(alertsFrom(past.value?.publications ?? []), mine);
  const quiet = silences.value?.silences ?? [];
  const named = [...new Set(alerts.map(({ rule }) => rule))].map((name) => ({ name }));
  const lanes = own.length > 0 ? own.map(({ rule }) => rule) : named;
  const hush = (rule) => quiet.filter((each) => !each.rule || each.rule === rule.name)
    .map((each) => [Date.parse(each.created ?? "") || now, Date.parse(each.until)]);
  if (lanes.length === 0) {
    return html`<${Empty}
      title="No rule looks at this topic."><p>Make one below, or add the section <code>alerts</code> to the
      configuration.</p><//>`;
  }
  return html`<section aria-label=${`Alerts of ${topic}`}>
    ${name !== undefined && html`<div class="lane"><div class="name"><label>Value<select value=${name}
        onChange=${(event) => choose(event.target.value)}>${names.map((each) => html`<option key=${each}
          value=${each}>${each}</option>`)}
      </select></label></div>
      <${Loaded} from=${history}>${({ publications }) => html`<${Curve} points=${points(publications, name)}
        span=${span} name=${name}
        bounds=${all.filter((bound) => bound.name === name)} />`}<//></div>`}
    ${lanes.map((rule) => {
      const some = alerts.filter((alert) => alert.rule === rule.name && (alert.ended ?? span[1]) >= span[0]);
      return html`<div class="lane" key=${rule.name}><div class="name"><span>${rule.name}</span>
          ${some.some(({ ended }) => ended === null) && html`<${Badge} state="bad">active<//>`}</div>
        <${Lane} rule=${rule} alerts=${some} silences=${hush(rule)} span=${span} /></div>`;
    })}
    <div class="lane axis-lane"><div class="name"></div><${Chart} height=${20}>${(width) => html`<${TimeAxis}
      span=${span} x=${scale(span, [0, width])} top=${0} bottom=${0} width=${width} />`}<//></div>
    <${Legend} items=${[["alert info", "info"], ["alert warning", "warning"], ["alert critical", "critical"],
      ["hold", "hold"], ["cooldown", "cool-down"], ["quiet-key", "quiet or silenced"]]} />
    ${past.problem && html`<${Refused} problem=${past.problem} />`}
    ${listed.problem && html`<${Refused} problem=${listed.problem} />`}
    <${Alerts} alerts=${alerts} isListed=${listed.value?.alerts !== undefined} reload=${reload} />
    <${Silences} silences=${quiet} reload=${reload} /></section>`;
}

const SKETCH = {
  name: "my-rule", topics: "chat:hello", when: "number > 10", until: "number < 5", hold: "0s", severity: "info",
};

/** Sends a rule; the answer has what the hub found wrong with it: `{problems: [{location, message}], warnings}`. */
async function save(rule, isNew) {
  const path = `/api/alerts/rules${isNew ? "" : `/${encodeURIComponent(rule.name)}`}`;
  const response = await request(path, { method: isNew ? "POST" : "PUT", json: rule });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return { problems: [], warnings: answer.warnings ?? [] };
  const whole = { location: String(response.status), message: answer.message ?? "refused" };
  return { problems: answer.problems ?? [whole], warnings: [] };
}

/** The alerts that a rule would have raised for a topic in the last day, or why they are not known. */
function Rehearsed({ answer }) {
  if (answer.problem) return html`<${Refused} problem=${answer.problem} />`;
  const { publications, unreadable, missing, alerts, first } = answer;
  const since = first === null ? "" : `, the first at ${moment(Date.parse(first))}`;
  return html`<div role="status"><p>${count(alerts.length)} alerts by ${count(publications)} publications of the last
      24 hours${since}.</p>
    ${unreadable > 0 && html`<p class="stale">${count(unreadable)} more are no JSON objects.</p>`}
    ${missing.length > 0 && html`<p class="stale">No publication has: ${missing.join(", ")}.</p>`}</div>
    ${alerts.length > 0 && html`<${Table} caption="Rehearsed alerts" rows=${alerts} columns=${[
      { name: "Severity", value: (row) => html`<${Badge} state=${TONES[row.severity] ?? ""}>${row.severity}<//>` },
      { name: "Raised", value: (row) => moment(Date.parse(row.raised)) },
      { name: "Ended", value: (row) => (row.ended === null ? "" : moment(Date.parse(row.ended))) },
      { name: "Headline", value: (row) => row.headline ?? "" },
    ]} />`}`;
}

function Editor({ rule, topic, reload, close }) {
  const isNew = rule === null;
  const [rehearsed, setRehearsed] = useState(null);
  const [text, setText] = useState(JSON.stringify(rule ?? SKETCH, null, 2));
  const [result, setResult] = useState(null);
  const parsed = (() => {
    try {
      return { rule: JSON.parse(text), problem: null };
    } catch (error) {
      return { rule: null, problem: error.message };
    }
  })();
  const submit = async (event) => {
    event.preventDefault();
    try {
      const answer = await save(parsed.rule, isNew);
      setResult(answer);
      if (answer.problems.length === 0) reload();
    } catch (problem) {
      setResult({ problems: [{ location: "", message: problem.message }], warnings: [] });
    }
  };
  const rehearse = async () => {
    try {
      const pattern = parsed.rule?.topics ?? "";
      const json = { rule: parsed.rule, topic: pattern.includes("*") ? topic : pattern };
      setRehearsed(await load("/api/alerts/rehearsal", { json }));
    } catch (problem) {
      setRehearsed({ problem });
    }
  };
  const found = parsed.rule === null ? [] : bounds(parsed.rule);
  const list = found.map((each) => `${each.kind} ${each.name} ${each.comparison} ${each.value}`).join(", ");
  return html`<form class="pane" onSubmit=${submit}><label class="field" for="rule">Rule, as JSON</label>
    <textarea id="rule" class="tall" spellcheck="false" value=${text}
      onInput=${(event) => setText(event.target.value)}></textarea>
    <p class="soft" role="status">${parsed.problem ? `Not JSON: ${parsed.problem}`
      : `Bounds: ${list || "none with a number"}`}</p>
    <div class="row"><button type="submit" class="primary" disabled=${parsed.rule === null}>Check and save</button>
      <button type="button" disabled=${parsed.rule === null} onClick=${rehearse}>Rehearse on the last 24 h</button>
      <button type="button" onClick=${close}>Close</button></div>
    ${result?.problems.length > 0 && html`<div class="refused"
      role="alert"><ul>${result.problems.map((each) => html`<li>
      <code>${each.location}</code> ${each.message}</li>`)}</ul></div>`}
    ${result?.problems.length === 0 && html`<p role="status">Saved; it holds from the next publication on.</p>`}
    ${(result?.warnings ?? []).map((warning) => html`<p class="stale">${warning}</p>`)}
    ${rehearsed !== null && html`<${Rehearsed} answer=${rehearsed} />`}</form>`;
}

function Rules({ rules, topic, reload }) {
  const [edited, edit] = useState(undefined);
  const remove = async ({ rule }) => {
    await load(`/api/alerts/rules/${encodeURIComponent(rule.name)}`, { method: "DELETE" });
    reload();
    return "Deleted.";
  };
  return html`<h2>Rules</h2>
    <div class="row"><button type="button" onClick=${() => edit(null)}>New rule</button></div>
    ${edited !== undefined && html`<${Editor} key=${edited?.name ?? ""} rule=${edited} topic=${topic} reload=${reload}
      close=${() => edit(undefined)} />`}
    ${rules.length > 0 && html`<${Table} caption="Rules" rows=${rules}
      keyOf=${(row) => `${row.owner ?? ""} ${row.rule.name}`} columns=${[
      { name: "Rule", value: (row) => row.rule.name },
      { name: "Topics", value: (row) => html`<code>${row.rule.topics}</code>` },
      { name: "When", value: (row) => html`<code>${row.rule.when}</code>` },
      { name: "Until", value: (row) => html`<code>${row.rule.until ?? ""}</code>` },
      { name: "Severity", value: (row) => row.rule.severity },
      { name: "Of", value: (row) => row.owner ?? row.source },
      { name: "", value: (row) => row.source === "api" && row.owner === null && html`<button type="button"
        onClick=${() => edit(row.rule)}>Edit</button> <${Action} label="Delete"
          question="Its alerts end. Delete the rule?"
        act=${() => remove(row)} />` },
    ]} />`}`;
}

export default function AlertsView() {
  const found = useRoute("/api/alerts/rules", 30);
  const channels = useLoaded(async (signal) => Object.keys((await call("channels", {}, { signal })).channels), [], 30);
  const listed = useOptional(`/api/alerts?state=all&limit=${LISTED}`, SECONDS);
  const busy = useOptional("/api/topics?limit=200", 30);
  const health = useRoute("/api/health", SECONDS);
  const [text, setText] = useQuery("span", "21600");
  const [topic, setTopic] = useQuery("topic");
  const seconds = SPANS.find(([each]) => String(each) === text)?.[0] ?? 21_600;
  return html`<${Loaded} from=${found}>${({ rules }) => {
    const operators = rules.filter(({ owner }) => owner === null);
    const patterns = [...new Set(rules.map(({ rule }) => rule.topics))].join(", ");
    const named = [...(busy.value?.topics ?? []), ...(listed.value?.alerts ?? [])].map((each) => each.topic);
    const topics = topicsOf(operators, [...(channels.value ?? []), ...named]);
    const shown = topic || (listed.value ? topicToShow(topics, listed.value.alerts ?? []) : "");
    // A recording's clock is not the reader's.
    const now = health.value ? Date.parse(health.value.time) : Date.now();
    return html`<div class="row">
        <label class="grow">Topic<input value=${topic} placeholder=${shown} list="topics" spellcheck="false"
          autocomplete="off"
          onChange=${(event) => setTopic(event.target.value.trim().replace(/:alerts$/, ""))} /></label>
        <datalist id="topics">${topics.map((name) => html`<option key=${name} value=${name} />`)}</datalist>
        <label>Time<select value=${String(seconds)} onChange=${(event) => setText(event.target.value)}>
          ${SPANS.map(([each, title]) => html`<option key=${each}
            value=${String(each)}>${title}</option>`)}</select></label></div>
      ${shown === ""
        ? html`<${Empty} title="No topic to show."><p>${rules.length === 0 ? "Make a rule below."
            : `Enter a topic that a rule looks at: ${patterns}.`}</p><//>`
        : html`<h2><code>${shown}</code></h2><${TopicAlerts} key=${shown} topic=${shown} rules=${operators}
          listed=${listed} now=${now}
            span=${[now - seconds * 1000, now]} />`}
      ${listed.value?.alerts && html`<${Active} alerts=${listed.value.alerts} reload=${listed.reload} />`}
      <${Rules} rules=${rules} topic=${shown} reload=${found.reload} />`;
  }}<//>`;
}

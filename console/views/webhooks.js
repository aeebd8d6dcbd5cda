// Webhooks: for each endpoint a strip of its attempts; for one of them its deliveries and what can be done.

import { html, useState } from "../vendor/preact-htm.js";
import { Action, Badge, Empty, Figure, Loaded, Refused, Table, Time } from "../lib/parts.js";
import { useOptional, useQuery, useRoute } from "../lib/hooks.js";
import { ago, clock, count, duration, json, localInput, moment } from "../lib/format.js";
import { load } from "../lib/session.js";
import { Chart, Legend, TimeAxis, scale } from "../lib/chart.js";

const STRIPS_MAX = 20;
const SECONDS = 5;
const SPANS = [[900, "15 minutes"], [3600, "1 hour"], [86_400, "1 day"], [604_800, "7 days"]];
// protocol/webhooks.md: after 5 failures in a row a pause of 30 s, doubled by each further one up to 10 min.
const FAILURES = 5;
const PAUSE_MILLISECONDS = 30_000;
const PAUSE_MILLISECONDS_MAX = 600_000;

/** What became of an attempt: `delivered`, `refused` with a status, or `silent` without one. */
export function kindOf({ outcome, status }) {
  if (outcome === "delivered") return "delivered";
  return status === null || status === undefined ? "silent" : "refused";
}

/**
 * Whether the hub pauses an endpoint, by its attempts, newest first.
 *
 * @returns `{failures, until}`: failures in a row, and when the pause ends in milliseconds; null without a pause.
 */
export function breaker(attempts, now) {
  const end = attempts.findIndex((each) => each.outcome === "delivered");
  const failures = end < 0 ? attempts.length : end;
  if (failures < FAILURES) return { failures, until: null };
  const pause = Math.min(PAUSE_MILLISECONDS * 2 ** (failures - FAILURES), PAUSE_MILLISECONDS_MAX);
  const until = Date.parse(attempts[0].time) + pause;
  return { failures, until: until > now ? until : null };
}

/**
 * The picture of attempts within a span: bars, and arcs from each failed attempt to the next of its message.
 *
 * @returns `{bars: [{time, duration, kind, attempt}], arcs: [{from, to, isAhead}]}`, times in milliseconds.
 */
export function strip(attempts, [from, to]) {
  const oldestFirst = [...attempts].reverse();
  const bars = [];
  const arcs = [];
  const last = new Map();
  for (const attempt of oldestFirst) {
    const time = Date.parse(attempt.time);
    const before = last.get(attempt.delivery);
    if (before !== undefined && time >= from) arcs.push({ from: before, to: time, isAhead: false });
    last.set(attempt.delivery, time);
    if (time >= from && time <= to) bars.push({ time, duration: attempt.duration, kind: kindOf(attempt), attempt });
  }
  for (const attempt of attempts) {
    const time = Date.parse(attempt.time);
    if (attempt.next && last.get(attempt.delivery) === time && time >= from) {
      arcs.push({ from: time, to: Date.parse(attempt.next), isAhead: true });
    }
  }
  return { bars, arcs };
}

const HELP = "The height of a bar is the duration of the attempt, from 1 ms to 60 s by its logarithm. An arc leads to \
the next attempt of the same message; a dashed one ends when the hub planned it.";
const HEIGHT = 132;
const BASE = 74;

function Strip({ attempts, span }) {
  const { bars, arcs } = strip(attempts, span);
  if (bars.length === 0) return html`<p class="soft">No attempt in this time.</p>`;
  // From 1 ms to 60 s, by the logarithm.
  const height = (seconds) => Math.max(3, Math.min(66, ((Math.log10(Math.max(seconds, 1e-3)) + 3) / 4.8) * 66));
  const bad = bars.filter(({ kind }) => kind !== "delivered").length;
  return html`<${Chart} label=${`${bars.length} attempts, ${bad} of them failed`} height=${HEIGHT}>${(width) => {
    const x = scale(span, [12, width - 60]);
    const edge = (time) => Math.max(0, Math.min(width, x(time)));
    return html`<${TimeAxis} span=${span} x=${x} top=${4} bottom=${HEIGHT - 22} width=${width} />
      <line class="rule" x1="0" x2=${width} y1=${BASE} y2=${BASE} />
      ${arcs.map(({ from, to, isAhead }) => html`<path class=${isAhead ? "arc ahead" : "arc"}
        d=${`M${edge(from)} ${BASE + 1}Q${(edge(from) + edge(to)) / 2} ${BASE + 56} ${edge(to)} ${BASE + 1}`} />`)}
      ${bars.map((bar) => html`<rect class=${bar.kind} x=${x(bar.time) - 2} width="4" rx="1"
        y=${BASE - height(bar.duration)} height=${height(bar.duration)}>
        <title>${`${clock(bar.time)}: ${bar.attempt.status ?? "no answer"} after ${duration(bar.duration)}`}</title>
        </rect>`)}`;
  }}<//>`;
}

const STATES = { active: "good", pending: "warn", paused: "warn", disabled: "bad" };

function Endpoint({ webhook, span, isOpen, open, reload }) {
  const found = useOptional(`/api/webhooks/${encodeURIComponent(webhook.id)}/attempts?limit=200`, SECONDS);
  const attempts = found.value?.attempts ?? [];
  const pause = breaker(attempts, Date.now());
  const filters = ["types", "topics", "severities"].filter((name) => webhook[name].length > 0)
    .map((name) => `${name} ${webhook[name].join(", ")}`).join("; ");
  return html`<section class="pane endpoint" aria-label=${`Endpoint ${webhook.url}`}>
    <div class="row"><h2 class="grow"><code>${webhook.url}</code></h2>
      <button type="button" aria-pressed=${isOpen} onClick=${open}>Details</button></div>
    <div class="badges"><${Badge}
      state=${STATES[webhook.status]}>${webhook.status}${webhook.reason ? `: ${webhook.reason}` : ""}<//>
      <${Badge}>${webhook.source}<//>
      ${pause.until !== null && html`<${Badge} state="bad">held until ${clock(pause.until)}<//>`}
      ${pause.until === null && pause.failures > 0 && html`<${Badge}
        state="warn">${pause.failures} failures in a row<//>`}
      <span class="soft">${filters === "" ? "every event" : filters}</span></div>
    <${Loaded} from=${found} empty=${(value) => value.isMissing
      && html`<p class="soft">This hub keeps no attempts. The deliveries are in the details.</p>`}>
      ${() => html`<${Strip} attempts=${attempts} span=${span} />`}<//>
    ${isOpen && html`<${Details} webhook=${webhook} reload=${reload}
      attempts=${found.value?.isMissing ? null : attempts} />`}
  </section>`;
}

function Details({ webhook, attempts, reload }) {
  const path = `/api/webhooks/${encodeURIComponent(webhook.id)}`;
  const deliveries = useRoute(`${path}/deliveries?limit=100`, SECONDS);
  const post = (end, body = {}) => load(`${path}/${end}`, { json: body });
  const reloadAll = () => {
    deliveries.reload();
    reload();
  };
  const retry = (row) => post(`deliveries/${row.id}/retry`).then(() => (deliveries.reload(), "Is sent again."));
  return html`<${Actions} webhook=${webhook} path=${path} post=${post} reload=${reloadAll} />
    ${attempts !== null && html`<${Table} caption="Attempts, newest first" rows=${attempts} columns=${[
      { name: "Time", value: (row) => html`<${Time} at=${row.time} text=${moment(row.time)} />` },
      { name: "Type", value: (row) => html`<code>${row.type}</code>` },
      { name: "Topic", value: (row) => html`<code>${row.topic ?? ""}</code>` },
      { name: "Attempt", number: true, value: (row) => row.attempt },
      { name: "Duration", number: true, value: (row) => duration(row.duration) },
      { name: "Status", number: true, value: (row) => row.status ?? "–" },
      { name: "Outcome", value: (row) => row.outcome },
      { name: "Error", value: (row) => row.error ?? "" },
      { name: "Answer", value: (row) => html`<code>${row.body ? json(row.body, 160) : ""}</code>` },
      { name: "Next", value: (row) => (row.next ? ago(row.next) : "") },
    ]} />`}
    <${Loaded} from=${deliveries} empty=${({ deliveries }) => deliveries.length === 0
      && html`<${Empty} title="No message was made for this endpoint."><p>Send a test event, or publish something that
        passes its filters.</p><//>`}>
      ${({ deliveries }) => html`<${Table} caption="Deliveries, newest first" rows=${deliveries}
        keyOf=${(row) => row.id} columns=${[
        { name: "Made", value: (row) => html`<${Time} at=${row.created_at} text=${moment(row.created_at)} />` },
        { name: "Type", value: (row) => html`<code>${row.type}</code>` },
        { name: "Subject", value: (row) => row.subject ?? "" },
        { name: "State", value: (row) => html`<${Badge}
          state=${{ delivered: "good", failed: "bad" }[row.status] ?? "warn"}>
          ${row.status}${row.reason ? `: ${row.reason}` : ""}<//>` },
        { name: "Attempts", number: true, value: (row) => row.attempts },
        { name: "Answer", number: true, value: (row) => row.last_status ?? "–" },
        { name: "Next", value: (row) => (row.next_attempt ? ago(row.next_attempt) : "") },
        { name: "Message", value: (row) => html`<code>${row.message_id}</code>` },
        { name: "", value: (row) => html`<${Action} label="Send again" question="Send it again?"
          isOffered=${row.status !== "pending"} act=${() => retry(row)} />` },
      ]} />`}<//>`;
}

function Actions({ webhook, path, post, reload }) {
  const [from, setFrom] = useState(localInput(Date.now() - 3_600_000));
  const [to, setTo] = useState(localInput(Date.now() + 60_000));
  const again = async () => {
    const { messages } = await post("replay", { from: new Date(from).toISOString(), to: new Date(to).toISOString() });
    reload();
    return `${count(messages)} messages are sent again.`;
  };
  const changed = (text) => () => (reload(), text);
  const rotate = () => post("rotate").then(({ secret }) => `The next secret, shown this once: ${secret}`);
  return html`<div class="row">
      <${Action} label="Send a test event" question="Send webhook.test to this endpoint?"
        act=${() => post("test").then(changed("Sent."))} />
      ${webhook.source === "api" && html`
        ${webhook.status === "active" && html`<${Action} label="Pause" question="Events wait until you resume. Pause?"
          act=${() => post("pause").then(changed("Paused."))} />`}
        ${(webhook.status === "paused" || webhook.status === "disabled") && html`<${Action} label="Resume"
          question="Send what waits?" act=${() => post("resume").then(changed("Resumed."))} />`}
        <${Action} label="Replace the secret" question="For 24 hours both secrets sign. Replace it?" act=${rotate} />
        <${Action} label="Delete" kind="danger" question="Its deliveries are deleted with it. Delete the webhook?"
          act=${() => load(path, { method: "DELETE" }).then(changed("Deleted."))} />`}
    </div>
    <div class="row"><label>Messages from<input type="datetime-local" value=${from}
      onInput=${(event) => setFrom(event.target.value)} /></label>
      <label>to<input type="datetime-local" value=${to} onInput=${(event) => setTo(event.target.value)} /></label>
      <${Action} label="Replay" question="Send all ended deliveries of this time again?" act=${again} /></div>`;
}

function NewWebhook({ reload }) {
  const [state, setState] = useState({ url: "", types: "", topics: "", made: null, problem: null });
  const set = (name) => (event) => setState({ ...state, [name]: event.target.value });
  const list = (text) => text.split(/[\s,]+/).filter((each) => each !== "");
  const submit = async (event) => {
    event.preventDefault();
    try {
      const json = { url: state.url, types: list(state.types), topics: list(state.topics) };
      const made = await load("/api/webhooks", { json });
      setState({ ...state, made, problem: null });
      reload();
    } catch (problem) {
      setState({ ...state, made: null, problem });
    }
  };
  return html`<details><summary>New webhook</summary><form onSubmit=${submit}><div class="row">
      <label class="grow">URL<input type="url" required value=${state.url} placeholder="https://hooks.example.org/in"
        onInput=${set("url")} /></label>
      <label>Types<input value=${state.types} placeholder="aurora.*" spellcheck="false"
        onInput=${set("types")} /></label>
      <label>Topics<input value=${state.topics} placeholder="chat:*" spellcheck="false"
        onInput=${set("topics")} /></label>
      <button type="submit">Make it</button></div></form>
    ${state.made && html`<p role="status">Its secret, shown this once: <code>${state.made.secret}</code>
      ${(state.made.warnings ?? []).map((text) => html`<span class="stale">${text}</span>`)}</p>`}
    ${state.problem && html`<${Refused} problem=${state.problem} />`}</details>`;
}

export default function Webhooks() {
  const found = useRoute("/api/webhooks", SECONDS);
  const health = useRoute("/api/health", SECONDS);
  const [chosen, choose] = useQuery("webhook");
  const [text, setText] = useQuery("span", "3600");
  const seconds = SPANS.find(([each]) => String(each) === text)?.[0] ?? 3600;
  const now = Date.now();
  const totals = health.value?.webhooks;
  const isShown = ({ id }, index) => index < STRIPS_MAX || id === chosen;
  return html`<div class="row"><label>Time<select value=${String(seconds)}
    onChange=${(event) => setText(event.target.value)}>
        ${SPANS.map(([each, title]) => html`<option key=${each}
          value=${String(each)}>${title}</option>`)}</select></label>
      <${Legend}
        items=${[["delivered", "delivered"], ["refused", "refused with a status"], ["silent", "no answer"]]} /></div>
    <p class="soft">${HELP}</p>
    ${totals && html`<dl class="figures"><${Figure} name="Messages that wait" value=${count(totals.pending)} />
      <${Figure} name="Given up, kept for a week" value=${count(totals.failed)}
        state=${totals.failed > 0 ? "bad" : ""} /></dl>`}
    <${NewWebhook} reload=${found.reload} />
    <${Loaded} from=${found} empty=${({ webhooks }) => webhooks.length === 0
      && html`<${Empty}
        title="This hub has no webhooks."><p>Make one above, or add the section <code>webhooks</code> to the
        configuration.</p><//>`}>
      ${({ webhooks }) => html`${webhooks.filter(isShown).map((webhook) => html`<${Endpoint}
          key=${webhook.id} webhook=${webhook} span=${[now - seconds * 1000, now]} isOpen=${webhook.id === chosen}
          open=${() => choose(webhook.id === chosen ? "" : webhook.id)} reload=${found.reload} />`)}
        <${Table} caption="Endpoints" rows=${webhooks} keyOf=${(row) => row.id} columns=${[
          { name: "URL", value: (row) => html`<a
            href=${`webhooks?${new URLSearchParams({ webhook: row.id })}`}><code>${row.url}</code></a>` },
          { name: "State", value: (row) => row.status },
          { name: "From", value: (row) => row.source },
          { name: "Id", value: (row) => html`<code>${row.id}</code>` },
        ]} />`}
    <//>`;
}

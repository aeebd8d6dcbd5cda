// Now: the state of the hub, and how it came to it.

import { html } from "../vendor/preact-htm.js";
import { Badge, Empty, Loaded, Table } from "../lib/parts.js";
import { useLoaded, useMetrics, useQuery, useRoute } from "../lib/hooks.js";
import { ago, bytes, clock, count, duration, json } from "../lib/format.js";
import { samples } from "../lib/metrics.js";
import { call, load } from "../lib/session.js";
import { points, quantile, rate, share, spark, state, useStatistics } from "../lib/statistics.js";

const WARNING_SECONDS = 14 * 86_400;
const ROWS = 30;
const POINTS = 240;
const EXPIRY = "hub_certificate_expiry_timestamp_seconds";

/** The figures of the view: `[{name, text, points}]`, with the newest value as text. */
export function figures({ samples, bounds, interval }) {
  const seconds = (value) => (value === Infinity ? "over 16 s" : duration(value));
  const of = (name, value, text) => ({
    name, points: points(samples, value, POINTS), text: text(value(samples, samples.length - 1)),
  });
  return [
    of("Connections", state("connections"), count),
    of("Publications per second", rate("publications", interval), count),
    of("Deliveries per second", rate("deliveries", interval), count),
    of("Commit to write, 99 %", share("write", bounds, 0.99), seconds),
    of("Longest turn of a loop", state("loop_lag"), duration),
    of("Webhooks that wait", state("webhooks_pending"), count),
    of("Slow connections", state("slow"), count),
    of("Processor, cores", rate("cpu", interval), count),
    of("Memory", state("memory"), bytes),
  ];
}

/** The badges: `[{state, text}]`, from the answers of /readyz and /api/health and the metrics of certificates. */
export function badges(ready, health, expiries, now) {
  const found = [{
    state: ready.status === "ready" ? "good" : "bad",
    text: ready.status === "ready" ? "ready" : `not ready: ${ready.reason ?? "no reason given"}`,
  }];
  if (health !== null) {
    const store = health.store?.status ?? "unknown";
    found.push({ state: store === "ok" ? "good" : "bad", text: `store ${store}` });
    const feeds = health.feeds ?? [];
    const stale = feeds.filter((feed) => feed.stale).length;
    if (feeds.length > 0) {
      const text = stale === 0 ? "feeds fresh" : `${stale} of ${feeds.length} feeds stale`;
      found.push({ state: stale === 0 ? "good" : "warn", text });
    }
    for (const { part, reason } of health.problems ?? []) found.push({ state: "warn", text: `${part}: ${reason}` });
  }
  if (expiries.length > 0) {
    const left = Math.min(...expiries) - now / 1000;
    const state = left < 0 ? "bad" : left < WARNING_SECONDS ? "warn" : "good";
    found.push({ state, text: left < 0 ? "a certificate has expired" : `certificates: ${duration(left)} left` });
  }
  return found;
}

/** The state of readiness, also while the hub answers 503. */
async function readiness(signal) {
  try {
    return await load("/readyz", { signal });
  } catch (problem) {
    if (problem.status !== 503) throw problem;
    return { status: "not ready", reason: problem.message };
  }
}

function Badges() {
  const ready = useLoaded(readiness, [], 2);
  const health = useRoute("/api/health", 5);
  const metrics = useMetrics(60);
  const expiries = samples(metrics.value ?? "", EXPIRY).map(({ value }) => value);
  const state = ready.problem === null && ready.value !== null
    ? ready.value
    : { status: "unknown", reason: ready.problem?.message ?? "the hub was just asked" };
  return html`<p class="badges" role="status">${badges(state, health.value, expiries, Date.now())
    .map(({ state, text }) => html`<${Badge} key=${text} state=${state}>${text}<//>`)}</p>`;
}

function Sparkline({ name, text, points }) {
  return html`<div class="figure"><dt>${name}</dt><dd>${text}</dd>
    <svg class="spark" viewBox="0 0 200 36" preserveAspectRatio="none" aria-hidden="true">
      <path d=${spark(points, 200, 36)} /></svg></div>`;
}

/** Newest first, the fields that the figures show. */
function Samples({ value }) {
  const { samples, bounds } = value;
  const number = (name, text = count) => ({
    name: name.replace("_", " "), number: true, value: (row) => text(row[name] ?? null),
  });
  const rows = samples.slice(-ROWS).reverse();
  return html`<${Table} caption="Samples, newest first" rows=${rows} keyOf=${(row) => row.time}
    columns=${[
      { name: "Time", value: (row) => html`<time datetime=${row.time}>${clock(row.time)}</time>` },
      number("connections"), number("publications"), number("deliveries"), number("dropped"), number("slow"),
      { name: "write 99 %", number: true, value: (row) => duration(quantile(row.write, bounds, 0.99)) },
      number("loop_lag", duration), number("webhooks_pending"), number("cpu", duration), number("memory", bytes),
    ]} />`;
}

function Changes() {
  const found = useLoaded(
    (signal) => call("history", { channel: "hub:webhooks", limit: 10, reverse: true }, { signal }), [], 30,
  );
  const none = ({ publications }) => (publications ?? []).length === 0
    && html`<p class="soft">No webhook was switched off, and no message was dropped.</p>`;
  return html`<section><h2>Recent changes</h2>
    <${Loaded} from=${found} empty=${none}>${({ publications }) => html`<ol class="log">
      ${publications.map(({ offset, data }) => html`<li key=${offset}><strong>${data?.type ?? "event"}</strong>
      ${data?.time ? ` ${ago(data.time)} ` : " "}<code>${json(data?.data ?? data, 200)}</code></li>`)}</ol>`}<//></section>`;
}

export default function Now() {
  const [span, setSpan] = useQuery("span", "hour");
  const found = useStatistics(span === "day" ? "day" : "hour");
  const none = ({ samples }) => samples.length < 2 && html`<${Empty} title="The first samples come now.">
    <p>The hub takes a sample each second only while a client reads them, and one each minute always.</p><//>`;
  return html`<${Badges} />
    <div class="row" role="group" aria-label="Span">
      ${["hour", "day"].map((each) => html`<button type="button" key=${each}
        aria-pressed=${String(each === span)} onClick=${() => setSpan(each)}>Last ${each}</button>`)}
      <span class="soft" role="status">${span === "hour" && found.stream.state === "open" ? "live" : ""}</span></div>
    <${Loaded} from=${found} empty=${none}>${(value) => html`<dl class="figures">
      ${figures(value).map((each) => html`<${Sparkline} key=${each.name} ...${each} />`)}</dl>
      <${Samples} value=${value} />`}<//>
    <${Changes} />`;
}

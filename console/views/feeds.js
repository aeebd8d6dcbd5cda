// Feeds: for each upstream a lane of its polls, the time since its last success, and its next attempt.

import { html } from "../vendor/preact-htm.js";
import { Badge, Empty, Loaded, Refused, Table, Time } from "../lib/parts.js";
import { useOptional, useQuery, useRoute } from "../lib/hooks.js";
import { ago, clock, count, duration, moment } from "../lib/format.js";
import { Chart, Legend, TimeAxis, scale } from "../lib/chart.js";

const SECONDS = 5;
const SPANS = [[900, "15 minutes"], [3600, "1 hour"], [21_600, "6 hours"], [86_400, "1 day"], [604_800, "7 days"]];
const STATES = { healthy: "good", starting: "warn", failing: "warn", open: "bad", stopped: "bad" };
const WORDS = { open: "breaker open" };

const time = (text) => (text ? Date.parse(text) : null);

/**
 * The picture of a feed.
 *
 * @param feed of `/api/feeds`, or of `/api/health`, which has only the last success.
 * @returns `{ticks: [{time, outcome, poll}], band: {from, to, isStale}, next, isHeld}`; times in milliseconds, `band`
 *   and `next` may be null. `isHeld`: after failures the feed waits for its next attempt.
 */
export function lane(feed, [from, to], now) {
  const success = time(feed.last_success);
  const polls = feed.polls ?? (success === null ? [] : [{ time: feed.last_success, outcome: "changed" }]);
  const ticks = polls.map((poll) => ({ time: time(poll.time), outcome: poll.outcome, poll }))
    .filter((tick) => tick.time >= from && tick.time <= to);
  const band = success === null ? null : { from: Math.max(from, success), to: now, isStale: feed.stale };
  return {
    ticks,
    band: band !== null && band.from < band.to ? band : null,
    next: time(feed.next_attempt),
    isHeld: feed.consecutive_failures > 0 && feed.next_attempt !== null,
  };
}

/** The times that lanes show: what was, and a twentieth ahead for next attempts. */
export function spanOf(seconds, now) {
  return [now - seconds * 1000, now + seconds * 50];
}

const HEIGHT = 40;
const TALL = { changed: 30, unchanged: 14, failed: 30 };

function Lane({ feed, span, now, isChosen, choose }) {
  const { ticks, band, next, isHeld } = lane(feed, span, now);
  const failed = ticks.filter(({ outcome }) => outcome === "failed").length;
  const label = `${feed.name}: ${ticks.length} polls, ${failed} of them failed`;
  return html`<div class="lane"><div class="name">
      <button type="button" class="quiet" aria-pressed=${isChosen} onClick=${choose}>${feed.name}</button>
      <${Badge} state=${STATES[feed.status] ?? ""}>${WORDS[feed.status] ?? feed.status}<//></div>
    <${Chart} label=${label} height=${HEIGHT}>${(width) => {
      const x = scale(span, [0, width]);
      const edge = (value) => Math.min(width - 5, x(value));
      return html`${band && html`<rect class=${band.isStale ? "band stale-band" : "band"} x=${x(band.from)} y="6"
          width=${Math.max(1, x(band.to) - x(band.from))} height="28"><title>Since the last success</title></rect>`}
        <line class="now" x1=${x(now)} x2=${x(now)} y1="0" y2=${HEIGHT} />
        ${isHeld && html`<path class="arc ahead" d=${`M${x(now)} 20H${edge(next)}`} />`}
        ${ticks.map((tick) => html`<rect class=${`poll-${tick.outcome}`} x=${x(tick.time) - 1.5} width="3" rx="1"
          y=${35 - (TALL[tick.outcome] ?? 14)} height=${TALL[tick.outcome] ?? 14}>
          <title>${`${clock(tick.time)}: ${[tick.outcome, tick.poll.reason].filter(Boolean).join(", ")}`}</title></rect>`)}
        ${next !== null && html`<path class="next" d=${`M${edge(next) - 4} 14l8 6l-8 6z`}>
          <title>${`Next attempt ${moment(next)}`}</title></path>`}`;
    }}<//></div>`;
}

function Polls({ feed }) {
  const polls = [...(feed.polls ?? [])].reverse();
  if (polls.length === 0) return html`<p class="soft">This hub keeps no polls of the feed.</p>`;
  return html`<${Table} caption=${`Polls of ${feed.name}, newest first`} rows=${polls} columns=${[
    { name: "Time", value: (row) => html`<${Time} at=${row.time} text=${moment(row.time)} />` },
    { name: "Outcome", value: (row) => row.outcome },
    { name: "Duration", number: true, value: (row) => duration(row.duration) },
    { name: "Status", number: true, value: (row) => row.status ?? "–" },
    { name: "Reason", value: (row) => row.reason ?? "" },
  ]} />`;
}

export default function Feeds() {
  const health = useRoute("/api/health", SECONDS);
  const full = useOptional("/api/feeds", SECONDS);
  const [text, setText] = useQuery("span", "3600");
  const [chosen, choose] = useQuery("feed");
  const seconds = SPANS.find(([each]) => String(each) === text)?.[0] ?? 3600;
  const setSpan = (event) => setText(event.target.value);
  return html`<div class="row"><label>Time<select value=${String(seconds)} onChange=${setSpan}>
        ${SPANS.map(([each, title]) => html`<option key=${each}
          value=${String(each)}>${title}</option>`)}</select></label>
      <${Legend} items=${[["poll-changed", "changed"], ["poll-unchanged", "unchanged"], ["poll-failed", "failed"],
        ["band", "since the last success"], ["band stale-band", "the same, too old"],
        ["next", "next attempt"]]} /></div>
    ${full.problem && html`<${Refused} problem=${full.problem} />`}
    ${full.value?.isMissing && html`<p class="soft">This hub keeps no polls: a lane shows the last success.</p>`}
    <${Loaded} from=${health} empty=${(value) => value.feeds.length === 0
      && html`<${Empty} title="This hub polls no feeds."><p>The sections <code>aurora</code>,${" "}
        <code>news</code> and <code>radar</code> of the configuration have some.</p><//>`}>
      ${(value) => {
        // A recording's clock is not the reader's.
        const now = Date.parse(value.time);
        const span = spanOf(seconds, now);
        const feeds = full.value?.feeds ?? value.feeds;
        const open = feeds.find(({ name }) => name === chosen);
        return html`<section aria-label="Lanes">${feeds.map((feed) => html`<${Lane} key=${feed.name} feed=${feed}
            span=${span} now=${now} isChosen=${feed.name === chosen}
            choose=${() => choose(feed.name === chosen ? "" : feed.name)} />`)}
          <div class="lane axis-lane"><div class="name soft">${value.replay ? "the recording's clock" : ""}</div>
            <${Chart} height=${20}>${(width) => {
              const x = scale(span, [0, width]);
              return html`<${TimeAxis} span=${span} x=${x} top=${0} bottom=${0} width=${width} />`;
            }}<//></div></section>
          ${open && html`<${Polls} feed=${open} />`}
          <${Table} caption="Feeds" rows=${feeds} keyOf=${(row) => row.name} columns=${[
            { name: "Feed", value: (row) => row.name },
            { name: "State", value: (row) => `${WORDS[row.status] ?? row.status}${row.stale ? ", stale" : ""}` },
            { name: "Last success", value: (row) => ago(row.last_success, now) },
            { name: "Data of", value: (row) => (row.data_time ? moment(row.data_time) : "–") },
            { name: "Failures", number: true, value: (row) => count(row.consecutive_failures) },
            { name: "Last failure", value: (row) => row.last_failure ?? "" },
            { name: "Next attempt", value: (row) => (row.next_attempt ? ago(row.next_attempt, now) : "none") },
          ]} />`;
      }}<//>`;
}

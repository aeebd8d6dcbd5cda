// Explain: what became of one publication on its way to one client.

import { html } from "../vendor/preact-htm.js";
import { Empty, Loaded } from "../lib/parts.js";
import { useLoaded, useQuery } from "../lib/hooks.js";
import { json } from "../lib/format.js";
import { call, load } from "../lib/session.js";

const STEPS = ["Published", "Access", "Filter", "Queue", "Written"];

/** For each outcome: the step at which the way ended, whether that is good, and what to do. */
const OUTCOMES = {
  delivered: [4, "good", "The hub handed it to the client's connection. If the client does not show it, the connection \
broke before the bytes arrived, and recovery brings them; or the client's own code dropped it."],
  not_published: [0, "bad", "The topic has not reached this offset. Compare the epoch: a topic that was created again \
begins again at 1."],
  not_authorized: [1, "bad", "The client asked for the topic and was refused. Compare its token and the rules of the \
namespace: docs/AUTHENTICATION.md."],
  not_subscribed: [1, "warn", "The client was not subscribed at this offset, or there is no such client on this hub. A \
client that resumes with its position receives what it missed."],
  filtered: [2, "warn", "The filter of the client's subscription did not match the publication's tags. Compare them."],
  conflated: [3, "warn", "The client was slow, and a newer publication had the same key: only the newest was sent, as \
the namespace's slow_consumer says."],
  dropped: [3, "bad", "The client was slow, and there was no room in its queue. Look at its queue in the list of \
connections, and at limits.queue_bytes."],
  trimmed: [3, "bad", "The history no longer had it when the client resumed. Raise history_size or history_age of the \
namespace: clients were away for longer."],
  unknown: [4, "warn", "The record was overwritten: the hub keeps the newest exceptions only. Ask sooner."],
};

/** The stations of a way: `[{name, state}]` with `done`, `here` or `never`. */
export function way(outcome) {
  const [end] = OUTCOMES[outcome] ?? OUTCOMES.unknown;
  return STEPS.map((name, index) => ({
    name,
    state: index < end ? "done" : index === end ? "here" : "never",
  }));
}

function Way({ outcome }) {
  const [, kind] = OUTCOMES[outcome] ?? OUTCOMES.unknown;
  const tone = { good: "var(--good)", warn: "var(--warn)", bad: "var(--bad)" }[kind];
  const label = `${way(outcome).map((each) => each.name).join(", then ")}. It ended with: ${outcome}`;
  return html`<svg class="chart" viewBox="0 0 760 96" role="img" aria-label=${label}>
    ${way(outcome).map(({ name, state }, index) => {
      const x = 80 + index * 150;
      const isLast = index === STEPS.length - 1;
      const fill = state === "never" ? "var(--ground)" : state === "here" ? tone : "var(--good)";
      const mark = state === "never" ? "" : state === "done" || kind === "good" ? "✓" : "✕";
      return html`<g key=${name}>
        ${!isLast && html`<line x1=${x + 18} y1="36" x2=${x + 132} y2="36" stroke-width="3"
          stroke=${state === "done" ? "var(--good)" : "var(--line)"}
          stroke-dasharray=${state === "done" ? "none" : "4 5"} />`}
        <circle cx=${x} cy="36" r="17" fill=${fill} stroke=${state === "never" ? "var(--line)" : fill} stroke-width="2" />
        <text class="mark" x=${x} y="42" text-anchor="middle">${mark}</text>
        <text x=${x} y="78" text-anchor="middle">${name}</text>
      </g>`;
    })}
  </svg>`;
}

function Outcome({ client, topic, offset }) {
  const query = new URLSearchParams({ client, topic, offset });
  const found = useLoaded((signal) => load(`/debug/why?${query}`, { signal }), [client, topic, offset]);
  return html`<${Loaded} from=${found}>${(answer) => {
    const [, kind, advice] = OUTCOMES[answer.outcome] ?? OUTCOMES.unknown;
    return html`<section aria-live="polite">
      <${Way} outcome=${answer.outcome} />
      <p><span class="badge ${kind}">${answer.outcome}</span> ${answer.meaning}.</p>
      <p>${advice}</p>
    </section>`;
  }}<//>`;
}

function Offsets({ topic, chosen, choose }) {
  const found = useLoaded(
    (signal) => call("history", { channel: topic, limit: 20, reverse: true }, { signal }), [topic],
  );
  return html`<${Loaded} from=${found}>${({ publications }) => html`<fieldset><legend>Newest publications</legend>
    <ol class="log">${publications.map((each) => html`<li key=${each.offset}>
      <button type="button" aria-pressed=${String(each.offset) === chosen}
        onClick=${() => choose(String(each.offset))}>${each.offset}</button> <code>${json(each.data, 120)}</code></li>`)}
    </ol></fieldset>`}<//>`;
}

function Clients({ topic, chosen, choose }) {
  const found = useLoaded((signal) => call("presence", { channel: topic }, { signal }), [topic]);
  const none = ({ presence }) => Object.keys(presence).length === 0
    && html`<${Empty} title="No client is in the topic now."><p>The id of one that left is in its own log and in the
      hub's, in the entry of its connection.</p><//>`;
  return html`<${Loaded} from=${found} empty=${none}>${({ presence }) => html`<fieldset><legend>Clients in the topic</legend>
    <ol class="log">${Object.values(presence).map((each) => html`<li key=${each.client}>
      <button type="button" aria-pressed=${each.client === chosen} onClick=${() => choose(each.client)}>
        ${each.user === "" ? "anonymous" : each.user}</button> <code>${each.client}</code></li>`)}
    </ol></fieldset>`}<//>`;
}

export default function Explain() {
  const [topic, setTopic] = useQuery("topic");
  const [client, setClient] = useQuery("client");
  const [offset, setOffset] = useQuery("offset");
  const topics = useLoaded(async (signal) => Object.keys((await call("channels", {}, { signal })).channels), [], 10);
  const isWhole = topic !== "" && client !== "" && /^[1-9]\d*$/.test(offset);
  const field = (label, id, value, set, more = {}) => html`<label class="grow" for=${id}>${label}
    <input id=${id} value=${value} spellcheck="false" autocomplete="off"
      onInput=${(event) => set(event.target.value.trim())} ...${more} /></label>`;
  return html`<p class="soft">Why did a client not receive a message? Name the topic, the message and the client.</p>
    <div class="row">
      ${field("Topic", "topic", topic, setTopic, { list: "topics" })}
      ${field("Offset", "offset", offset, setOffset, { inputmode: "numeric" })}
      ${field("Client", "client", client, setClient)}
      <datalist id="topics">${(topics.value ?? []).map((name) => html`<option key=${name} value=${name} />`)}</datalist>
    </div>
    ${isWhole
      ? html`<${Outcome} client=${client} topic=${topic} offset=${offset} />`
      : html`<${Empty} title="Three things are needed.">
          <p>The topic; the offset, which each publication has in its topic; and the client, the id of a connection,
            which the hub names when a client connects.</p><//>`}
    ${topic !== "" && html`<div class="panes">
      <${Offsets} topic=${topic} chosen=${offset} choose=${setOffset} />
      <${Clients} topic=${topic} chosen=${client} choose=${setClient} /></div>`}`;
}

// The clock of a hub that plays a recording: what it shows, and its control (protocol/console.md, Clock).

import { html, useEffect, useState } from "../vendor/preact-htm.js";
import { Action, Badge, Figure } from "./parts.js";
import { useLoaded, useStream } from "./hooks.js";
import { duration, localInput, moment } from "./format.js";
import { load } from "./session.js";
import { alertsFrom, body } from "./alerts.js";

const PATH = "/api/clock";
export const SPEEDS = [1, 10, 60, 360];
const STEPS = [["10 minutes", 600_000], ["1 hour", 3_600_000]];
const SECONDS = 2;
// The picture moves at most so often while the clock runs.
const TURN_MILLISECONDS = 200;

/** What the clock shows some milliseconds after it was read, in milliseconds. */
export function shownTime(clock, elapsed) {
  return Date.parse(clock.time) + (clock.paused ? 0 : elapsed * clock.speed);
}

/**
 * How much of the recording has passed: `{share, left, wait}`, the seconds of the recording and of the reader that are
 * left; `wait` is null while the clock stands still. Null if the end is unknown.
 */
export function progress({ recording, speed, paused }, time) {
  if (!recording?.end) return null;
  const [start, end] = [Date.parse(recording.start), Date.parse(recording.end)];
  const left = Math.max(0, end - time) / 1000;
  const share = Math.max(0, Math.min(1, (time - start) / (end - start)));
  return { share, left, wait: paused || speed === 0 ? null : left / speed };
}

/** The clock with the moment at which it was read, read again every `seconds`, as `useLoaded` has it. */
export function useClock(isShown) {
  const read = async (signal) => ({ ...(await load(PATH, { signal })), at: performance.now() });
  return useLoaded(read, [], isShown ? SECONDS : 0);
}

/** The time that the clock shows, which moves on between two readings. */
function useShownTime(clock) {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    setNow(performance.now());
    if (clock.paused) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) setNow(performance.now());
    }, TURN_MILLISECONDS);
    return () => clearInterval(timer);
  }, [clock.at, clock.paused]);
  return shownTime(clock, Math.max(0, now - clock.at));
}

function Passed({ clock, time }) {
  const passed = progress(clock, time);
  if (passed === null) return html`<p class="soft">The end of the recording is not in <code>clock.end</code>.</p>`;
  const percent = `${Math.round(passed.share * 100)} %`;
  const wait = passed.wait === null ? "" : `, which take ${duration(Math.round(passed.wait))}`;
  const rest = passed.left === 0 ? "The clock runs on after the end." : `${duration(passed.left)} are left${wait}.`;
  return html`<p><progress aria-label="Part of the recording that has passed" max="1" value=${passed.share}>${percent}
    </progress> ${percent} of ${moment(clock.recording.start)} to ${moment(clock.recording.end)}. ${rest}</p>`;
}

function Jump({ time, send }) {
  const [text, setText] = useState(localInput(time, true));
  const to = (target) => () => send({ time: new Date(target).toISOString() });
  const target = Date.parse(text);
  const question = (time) => `Jump to ${moment(time)}? The clock never runs back.`;
  return html`<div class="row" role="group" aria-label="Jump forward">
    <label>Jump to<input type="datetime-local" step="1" value=${text}
      onInput=${(event) => setText(event.target.value)} /></label>
    ${!Number.isNaN(target) && html`<${Action} label="Jump" question=${question(target)} act=${to(target)} />`}
    ${STEPS.map(([name, step]) => html`<${Action} key=${name} label=${`${name} ahead`}
      question=${`Jump ${name} ahead? The clock never runs back.`} act=${() => to(time + step)()} />`)}</div>`;
}

/** Pauses the clock when an alert of the topic is raised. Where a recording has its alerts is only seen by playing it. */
function Watch({ topic, send }) {
  const [state, setState] = useState({ step: "off", text: "" });
  const isOn = state.step === "on";
  const take = async ({ data }) => {
    const [alert] = alertsFrom([{ data }]);
    if (!isOn || alert === undefined || body(data).state !== "raised") return;
    setState({ step: "off", text: "" });
    const name = `${alert.rule} (${alert.severity}) at ${moment(alert.raised)}`;
    try {
      await send({ paused: true });
      setState({ step: "off", text: `Paused after the alert ${name}.` });
    } catch (problem) {
      setState({ step: "off", text: `Alert ${name}. The clock runs on: ${problem.message}` });
    }
  };
  const stream = useStream(isOn ? [`${topic}:alerts`] : [], take);
  const waits = stream.state === "open" ? `Waits for an alert of ${topic}.` : `Connects to ${topic}:alerts …`;
  const refused = stream.state === "refused" && (stream.problem?.message ?? "The topic is refused.");
  return html`<div class="row">${isOn
    ? html`<span role="status">${refused || waits}</span>
      <button type="button" onClick=${() => setState({ step: "off", text: "" })}>Do not wait</button>`
    : html`<${Action} label="Pause at the next alert" question=${`Pause when an alert of ${topic} is raised?`}
        act=${() => (setState({ step: "on", text: "" }), "")} />
      <span role="status">${state.text}</span>`}</div>`;
}

function Control({ clock, time, topic, send }) {
  const speed = (each) => (each === clock.speed ? html`<${Badge} key=${each} state="good">${each}×<//>`
    : html`<${Action} key=${each} label=${`${each}×`} question=${`Run at ${each}× for all who use this hub?`}
        act=${() => send({ speed: each })} />`);
  return html`<div class="row">${clock.paused
      ? html`<${Action} key="continue" label="Continue" kind="primary" question="Let the clock continue?"
          act=${() => send({ paused: false })} />`
      : html`<${Action} key="pause" label="Pause" kind="primary" question="Pause the clock for all who use this hub?"
          act=${() => send({ paused: true })} />`}</div>
    <div class="row" role="group" aria-label="Speed">${SPEEDS.map(speed)}</div>
    <${Jump} time=${time} send=${send} />
    ${topic === "" ? html`<p class="soft">With a topic, the clock can be paused at its next alert.</p>`
      : html`<${Watch} key=${topic} topic=${topic} send=${send} />`}`;
}

/** The clock as `useClock` has read it, with its control if the key may change it. */
export function ClockPanel({ clock, topic, reload }) {
  const time = useShownTime(clock);
  const send = async (change) => {
    await load(PATH, { json: change });
    reload();
    return "Done.";
  };
  return html`<section aria-label="The hub's clock">
    <dl class="figures"><${Figure} name="The hub's clock" value=${moment(time)} />
      <${Figure} name="State" value=${clock.paused ? "Paused" : "Running"} state=${clock.paused ? "warn" : ""} />
      <${Figure} name="Speed" value=${`${clock.speed}×`} /></dl>
    <${Passed} clock=${clock} time=${time} />
    ${clock.controllable ? html`<${Control} clock=${clock} time=${time} topic=${topic} send=${send} />`
      : html`<p class="soft">This key sees the clock and may not change it.</p>`}</section>`;
}

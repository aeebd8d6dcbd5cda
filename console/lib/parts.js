// Parts that views share. User data appear only as text: no part takes markup.

import { html, useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { moment } from "./format.js";

/**
 * What a view shows before its data come, without data, and when the hub refuses. An element of its own holds all of
 * it: otherwise Preact places several parts that replace one after the parts that follow.
 */
export function Loaded(properties) {
  return html`<div class="loaded">${loaded(properties)}</div>`;
}

function loaded({ from, empty, children }) {
  if (from.value === null && from.problem !== null) return html`<${Refused} problem=${from.problem} retry=${from.reload} />`;
  if (from.value === null) return html`<p class="loading" role="status">Loading …</p>`;
  const stale = from.problem !== null
    && html`<p class="stale" role="status">${from.problem.message} Shown is what came before.</p>`;
  return html`${stale}${empty?.(from.value) || children(from.value)}`;
}

/** An error with the hub's own words and the next step. */
export function Refused({ problem, retry }) {
  const advice = {
    0: "Check that the hub runs; the page tries again by itself.",
    401: "Sign out and sign in with a key of api.keys.",
    403: "The key lacks a scope: docs/AUTHENTICATION.md, API keys.",
    404: "The hub does not have this part: it may be off in its configuration.",
    503: "Another node of the cluster has this part, or the hub is overloaded.",
  }[problem.status];
  return html`<div class="refused" role="alert">
    <p><strong>${problem.message}</strong></p>
    ${advice && html`<p>${advice}</p>`}
    ${retry && html`<button type="button" onClick=${retry}>Try again</button>`}
  </div>`;
}

/** The text for a view without data. */
export function Empty({ title, children }) {
  return html`<div class="empty"><p><strong>${title}</strong></p>${children}</div>`;
}

/** A number with its name, and a mark of its state. */
export function Figure({ name, value, state = "", children }) {
  return html`<div class="figure ${state}"><dt>${name}</dt><dd>${value}</dd>${children}</div>`;
}

/** A state as a word with a colour; the word alone says it. */
export function Badge({ state, children }) {
  return html`<span class="badge ${state}">${children}</span>`;
}

/**
 * A table with a caption.
 *
 * @param columns `{name, value(row), number: true}`; `value` returns text or a vnode.
 */
export function Table({ caption, columns, rows, keyOf, onRow, limit = 200 }) {
  const shown = rows.slice(0, limit);
  return html`<div class="table" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption>${caption}${rows.length > limit ? ` (the first ${limit} of ${rows.length})` : ""}</caption>
      <thead><tr>${columns.map((column) => html`<th scope="col" class=${column.number ? "number" : ""}>${column.name}</th>`)}</tr></thead>
      <tbody>
        ${shown.map((row, index) => html`<tr key=${keyOf?.(row) ?? index}>
          ${columns.map((column) => html`<td class=${column.number ? "number" : ""}>${column.value(row)}</td>`)}
        </tr>`)}
      </tbody>
    </table>
  </div>`;
}

/**
 * A button that asks once before it acts, and shows the outcome; only the outcome while it is not offered. The question
 * takes the focus, on the answer that changes nothing, and the button takes it back.
 */
export function Action({ label, question, act, kind = "", isOffered = true }) {
  const [state, setState] = useState({ step: "rest", text: "" });
  const button = useRef(null);
  const wasAsked = useRef(false);
  useEffect(() => {
    // Of a button that is gone, the focus went to the document.
    const isLost = [null, document.body].includes(document.activeElement);
    if (state.step === "asked" || (wasAsked.current && isLost)) button.current?.focus();
    wasAsked.current = state.step === "asked" || (wasAsked.current && state.step === "busy");
  }, [state.step]);
  const run = async () => {
    setState({ step: "busy", text: "" });
    try {
      setState({ step: "rest", text: (await act()) ?? "Done." });
    } catch (problem) {
      setState({ step: "rest", text: problem.message });
    }
  };
  const outcome = html`<span role="status" class="outcome">${state.text}</span>`;
  if (state.step === "asked") {
    return html`<span class="action"><span>${question}</span>
      <button type="button" class="danger" onClick=${run}>Yes</button>
      <button type="button" ref=${button} onClick=${() => setState({ step: "rest", text: "" })}>No</button></span>`;
  }
  if (!isOffered) return html`<span class="action">${outcome}</span>`;
  const press = () => (question ? setState({ step: "asked", text: "" }) : run());
  return html`<span class="action"><button type="button" ref=${button} class=${kind}
    disabled=${state.step === "busy"} onClick=${press}>${label}</button>${outcome}</span>`;
}

/** A time with the whole date in its title. */
export function Time({ at, text }) {
  return html`<time datetime=${at} title=${moment(at)}>${text}</time>`;
}

/**
 * A picture drawn on a canvas with device pixels, again whenever `inputs` or the width change. The table under it has
 * the same data; `label` is its text for screen readers.
 *
 * @param draw called with the context, the width and the height in CSS pixels.
 */
export function Canvas({ label, height, draw, inputs, onPointer, onPick }) {
  const element = useRef(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(element.current.parentElement);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (width === 0) return;
    const canvas = element.current;
    const ratio = devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    draw(context, width, height);
  }, [width, height, ...inputs]);
  const at = (event) => {
    const box = element.current.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  return html`<div class="canvas"><canvas ref=${element} role="img" aria-label=${label}
    style=${{ width: "100%", height: `${height}px` }}
    onPointerMove=${onPointer && ((event) => onPointer(at(event)))}
    onPointerLeave=${onPointer && (() => onPointer(null))}
    onClick=${onPick && ((event) => onPick(at(event)))}></canvas></div>`;
}

/** A colour of the style sheet, such as `--accent`, for drawing. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Event streams of the hub (protocol/README.md, Event streams), read with `fetch`, because `EventSource` sends no key.

import { Problem, request } from "./session.js";

const RETRY_MILLISECONDS = 1000;
const RETRY_MILLISECONDS_MAX = 10_000;

/**
 * Reads the lines of an event stream. Values in, values out: no time and no network.
 *
 * HTML, "Server-sent events": a line ends with LF, CR LF or CR, an event with an empty line.
 */
export class EventParser {
  #rest = "";
  #event = { type: "", data: [], hasID: false };
  #id = null;

  /** The events that end in a piece of text, and the new delay for reconnecting, if one came. */
  read(text) {
    const found = { events: [], retry: null };
    // A CR at the end may be the first half of CR LF: it waits for the next piece.
    const all = this.#rest + text;
    const lines = all.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    for (const line of lines) this.#take(line, found);
    return found;
  }

  #take(line, found) {
    if (line === "") return this.#end(found);
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#event.data.push(value);
    else if (name === "event") this.#event.type = value;
    else if (name === "id" && !value.includes("\0")) [this.#id, this.#event.hasID] = [value, true];
    else if (name === "retry" && /^\d+$/.test(value)) found.retry = Number(value);
  }

  #end(found) {
    const { type, data, hasID } = this.#event;
    this.#event = { type: "", data: [], hasID: false };
    found.events.push({ type, data: data.length === 0 ? null : data.join("\n"), id: this.#id, hasID });
  }
}

/**
 * What a stream has delivered, to show that it resumed: events, those that came twice, gaps, connections.
 * Pure: `note` returns whether the event is new.
 */
export class Account {
  events = 0;
  repeated = 0;
  gaps = 0;
  connections = 0;
  #last = 0n;

  note(event) {
    if (event.type === "gap") {
      this.gaps += 1;
      if (event.id !== null) this.#last = BigInt(event.id);
      return true;
    }
    // What no history keeps has no id of its own, and comes only once.
    if (!event.hasID || event.type === "unsubscribed") return true;
    const cursor = BigInt(event.id);
    if (cursor <= this.#last) {
      this.repeated += 1;
      return false;
    }
    this.#last = cursor;
    this.events += 1;
    return true;
  }
}

/**
 * Follows topics until `signal` aborts, and resumes after each end of the connection.
 *
 * @param handlers `event({topic, data, id})`, `gap(data)`, `state("connecting" | "open" | "waiting", problem)`,
 *   `account(account)`.
 * @param options `signal`, `since: "beginning"`, `headers`, `key: false`.
 */
export async function follow(topics, handlers, options = {}) {
  const account = new Account();
  let cursor = null;
  let retry = RETRY_MILLISECONDS;
  let failures = 0;
  while (!options.signal?.aborted) {
    handlers.state?.("connecting", null);
    let problem = null;
    try {
      const query = new URLSearchParams({ topics: topics.join(",") });
      if (cursor === null && options.since) query.set("since", options.since);
      const headers = { Accept: "text/event-stream", ...options.headers };
      if (cursor !== null) headers["Last-Event-ID"] = cursor;
      const response = await request(`/events?${query}`, { ...options, headers });
      if (response.status === 204) return handlers.state?.("ended", null);
      if (!response.ok) {
        const text = (await response.text()).trim();
        throw new Problem(response.status, text === "" ? `status ${response.status}` : text);
      }
      account.connections += 1;
      failures = 0;
      handlers.state?.("open", null);
      handlers.account?.(account);
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const found = parser.read(value);
        retry = found.retry ?? retry;
        for (const event of found.events) {
          cursor = event.id ?? cursor;
          if (event.data === null) continue;
          const isNew = account.note(event);
          handlers.account?.(account);
          if (!isNew) continue;
          if (event.type === "gap") handlers.gap?.(parsed(event.data));
          else if (event.type === "unsubscribed") handlers.unsubscribed?.(parsed(event.data));
          else handlers.event?.({ topic: event.type, data: parsed(event.data), id: event.id });
        }
      }
    } catch (error) {
      if (options.signal?.aborted) return;
      problem = error instanceof Problem ? error : new Problem(0, "The connection ended.");
      failures += 1;
      // What the hub refuses stays refused: 401 and 403 end the stream.
      if ([400, 401, 403, 404].includes(problem.status)) return handlers.state?.("refused", problem);
    }
    handlers.state?.("waiting", problem);
    await pause(Math.min(retry * 2 ** Math.min(failures, 4), RETRY_MILLISECONDS_MAX), options.signal);
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

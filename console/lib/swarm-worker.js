// Loads and draws the connections, so that the page keeps its frames: the list of 10,000 is of two megabytes.
// `views/connections.js` sends `{id, act, value}` and receives `{id, value}` or `{id, problem}`.

import { Problem, borrow, failure, request } from "./session.js";
import { ConnectionReader, Connections } from "./connections.js";
import { draw, layout, nearest } from "./swarm.js";

const PIECE_BYTES = 65_536;
// The list that is shown, and a former one that the next answer fills.
const state = { shown: new Connections(), spare: null, turn: 0, canvas: null, picture: null };

const acts = {
  /** The first connections and the chosen one, with the number and the kinds of all of them. */
  async load({ session, parameters, chosen }) {
    borrow(session);
    state.turn += 1;
    const turn = state.turn;
    const response = await request("/api/connections", { json: parameters });
    if (!response.ok) throw failure(response.status, await response.text());
    const next = state.spare ?? new Connections();
    state.spare = null;
    next.clear(chosen, Date.now());
    const end = ConnectionReader.end(await entries(response.body, (entry) => next.add(entry)));
    if (end?.error) throw new Problem(200, `${end.error.message} (${end.error.code})`);
    if (end === null) throw new Problem(200, "/api/connections was not answered with a list");
    // The page waits only for the last list that it asked for.
    if (turn !== state.turn) throw new Problem(0, "another list was asked for");
    [state.shown, state.spare] = [next, state.shown];
    const { count, first, row } = state.shown;
    return { total: end.total, count, kinds: state.shown.kinds(), rows: first, row };
  },

  /** Draws into the canvas, which comes with the first call. */
  draw({ canvas, width, height, ratio, colours, chosen }) {
    state.canvas = canvas ?? state.canvas;
    state.canvas.width = width * ratio;
    state.canvas.height = height * ratio;
    state.picture = layout(state.shown, width);
    const context = state.canvas.getContext("2d");
    context.scale(ratio, ratio);
    draw(context, width, state.shown, state.picture, numberOf(chosen), (name) => colours[name]);
  },

  /** The id of the connection at a place of the picture. */
  pick(at) {
    const number = state.picture === null ? -1 : nearest(at, state.picture);
    return number < 0 ? null : state.shown.id(number);
  },
};

function numberOf(id) {
  if (id === "") return -1;
  for (let number = 0; number < state.shown.count; number += 1) if (state.shown.id(number) === id) return number;
  return -1;
}

/** Reads the entries of an answer with one buffer, and returns the text that follows them. */
async function entries(body, take) {
  const [entries, buffer] = [new ConnectionReader(), new Uint8Array(PIECE_BYTES)];
  const next = pieces(body);
  let kept = 0;
  for (let value = await next(); value !== null; value = await next()) {
    for (let start = 0; start < value.length;) {
      const piece = value.subarray(start, start + PIECE_BYTES - kept);
      if (piece.length === 0) throw new Problem(200, "/api/connections was not answered with a list");
      buffer.set(piece, kept);
      const end = kept + piece.length;
      const read = entries.read(buffer, end, take);
      buffer.copyWithin(0, read, end);
      [start, kept] = [start + piece.length, end - read];
    }
  }
  return new TextDecoder().decode(buffer.subarray(0, kept));
}

/** A function that returns the next piece of a body, and null at its end; a piece is valid until the next call. */
function pieces(body) {
  try {
    // All pieces in one array: a new one for each took 25 MB more.
    const reader = body.getReader({ mode: "byob" });
    let array = new Uint8Array(PIECE_BYTES);
    return async () => {
      const { value, done } = await reader.read(array);
      array = new Uint8Array(value.buffer);
      return done ? null : value;
    };
  } catch {
    // A browser whose bodies are not streams of bytes.
    const reader = body.getReader();
    return async () => (await reader.read()).value ?? null;
  }
}

addEventListener("message", async ({ data: { id, act, value } }) => {
  try {
    postMessage({ id, value: await acts[act](value) });
  } catch ({ status = 0, message }) {
    postMessage({ id, problem: { status, message } });
  }
});

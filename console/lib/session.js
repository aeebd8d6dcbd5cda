// The session of one browser tab: the API key and the requests that it signs.

const KEY = "varde-api-key";
// Of a worker, which has neither a document nor a session.
let borrowed = null;

/** The folder of the console and the key, for a worker to `borrow`. */
export function session() {
  return { folder: new URL("./", document.baseURI).href, key: key() };
}

/** Lets a worker sign its requests. */
export function borrow(session) {
  borrowed = session;
}

/** The hub's path of a route: the console is one level below it, also behind a proxy's prefix. */
export function hubURL(path) {
  return new URL(`..${path}`, borrowed?.folder ?? new URL("./", document.baseURI)).href;
}

/** The API key; kept by the tab and gone with it. */
export function key() {
  return borrowed?.key ?? sessionStorage.getItem(KEY) ?? "";
}

/** Keeps a key, or forgets it if it is empty. */
export function useKey(text) {
  if (text === "") sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, text);
}

/** A request that failed. `status` is 0 if the hub could not be reached. */
export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * The answer of a route of the hub.
 *
 * @param options `method`; `json`, the body; `signal`; `headers`; `key: false` sends no key.
 */
export async function request(path, options = {}) {
  const headers = { Accept: "application/json", ...options.headers };
  if (options.key !== false && key() !== "") headers["X-API-Key"] = key();
  if (options.json !== undefined) headers["Content-Type"] = "application/json";
  try {
    return await fetch(hubURL(path), {
      method: options.method ?? (options.json === undefined ? "GET" : "POST"),
      headers,
      body: options.json === undefined ? undefined : JSON.stringify(options.json),
      signal: options.signal,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "The hub does not answer.");
  }
}

/** The JSON of a route; throws a `Problem` with the hub's own words if it refuses. */
export async function load(path, options = {}) {
  const response = await request(path, options);
  const text = await response.text();
  if (!response.ok) throw failure(response.status, text);
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new Problem(response.status, `${path} was not answered with JSON`);
  }
}

/** The code of the server API for a topic that does not exist. */
export const UNKNOWN_CHANNEL = 102;

/** The result of a method of the server API (protocol/server-api.md); a `Problem` has its `code`. */
export async function call(method, parameters = {}, options = {}) {
  const reply = await load(`/api/${method}`, { ...options, json: parameters });
  if (reply.error) {
    const { code, message } = reply.error;
    throw Object.assign(new Problem(200, `${message} (${code})`), { code });
  }
  return reply.result ?? {};
}

/** The problem of an answer with a status of failure, in the hub's own words. */
export function failure(status, text) {
  let words = text.trim() === "" ? `status ${status}` : text.trim().slice(0, 500);
  try {
    const { message, error, detail } = JSON.parse(text);
    words = message ?? detail ?? error?.message ?? error ?? `status ${status}`;
  } catch {
    // A proxy's text.
  }
  return new Problem(status, words);
}

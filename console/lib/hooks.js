// Hooks that views share: data that are loaded again, streams, the place in the page's address.

import { useCallback, useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { Problem, call, load, request } from "./session.js";
import { follow } from "./stream.js";

/**
 * Loads a value, and again every `seconds` while the page is visible.
 *
 * @returns `{value, problem, loading, reload}`. After a failure the former value stays.
 */
export function useLoaded(get, inputs, seconds = 0) {
  const [state, setState] = useState({ value: null, problem: null, loading: true });
  const [turn, setTurn] = useState(0);
  const current = useRef(get);
  current.current = get;
  useEffect(() => {
    const abort = new AbortController();
    let timer = null;
    const run = async () => {
      timer = null;
      if (!document.hidden) {
        try {
          const value = await current.current(abort.signal);
          if (abort.signal.aborted) return;
          setState({ value, problem: null, loading: false });
        } catch (problem) {
          if (abort.signal.aborted) return;
          setState((before) => ({ ...before, problem, loading: false }));
        }
      }
      if (seconds > 0 && !document.hidden) timer = setTimeout(run, seconds * 1000);
    };
    const seen = () => {
      if (!document.hidden && timer === null && seconds > 0) run();
    };
    run();
    document.addEventListener("visibilitychange", seen);
    return () => {
      abort.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [...inputs, turn, seconds]);
  return { ...state, reload: useCallback(() => setTurn((turn) => turn + 1), []) };
}

/** Whether the page can be seen. */
export function useVisible() {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const changed = () => setVisible(!document.hidden);
    document.addEventListener("visibilitychange", changed);
    return () => document.removeEventListener("visibilitychange", changed);
  }, []);
  return isVisible;
}

/** The JSON of a route, as `useLoaded` has it. */
export function useRoute(path, seconds = 0) {
  return useLoaded((signal) => load(path, { signal }), [path], seconds);
}

async function metrics(signal) {
  const response = await request("/metrics", { signal, headers: { Accept: "text/plain" } });
  const text = await response.text();
  if (!response.ok) throw new Problem(response.status, text.trim() || `status ${response.status}`);
  return text;
}

/** The text of `/metrics`, as `useLoaded` has it; `lib/metrics.js` reads it. */
export function useMetrics(seconds) {
  return useLoaded(metrics, [], seconds);
}

/**
 * The JSON of a route that a hub may not have: `{isMissing: true}` after 404, and then it is not asked again.
 */
export function useOptional(path, seconds = 0) {
  const [missing, setMissing] = useState(null);
  const get = async (signal) => {
    try {
      return await load(path, { signal });
    } catch (problem) {
      if (problem.status !== 404) throw problem;
      setMissing(path);
      return { isMissing: true };
    }
  };
  const isMissing = missing === path;
  return useLoaded((signal) => (isMissing ? { isMissing } : get(signal)), [path], isMissing ? 0 : seconds);
}

/**
 * Follows topics while the view is shown.
 *
 * @param take called with each event `{topic, data, id}`; it may change from one rendering to the next.
 * @returns `{state, problem, account}`.
 */
export function useStream(topics, take, options = {}) {
  const [state, setState] = useState({ state: "connecting", problem: null, account: null });
  const current = useRef(take);
  current.current = take;
  const name = topics.join(",");
  useEffect(() => {
    if (name === "") return undefined;
    const abort = new AbortController();
    follow(
      topics,
      {
        event: (event) => current.current(event),
        gap: (gap) => options.gap?.(gap),
        state: (state, problem) => setState((before) => ({ ...before, state, problem })),
        account: (account) => setState((before) => ({ ...before, account: { ...account } })),
      },
      { ...options, signal: abort.signal },
    );
    return () => abort.abort();
  }, [name, options.since]);
  return state;
}

/** A value in the query of the page's address, so that each state of a view has a URL. */
export function useQuery(name, otherwise = "") {
  const read = () => new URLSearchParams(location.search).get(name) ?? otherwise;
  const [value, setValue] = useState(read);
  useEffect(() => {
    const moved = () => setValue(read());
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, [name]);
  const change = (next) => {
    const url = new URL(location.href);
    if (next === otherwise) url.searchParams.delete(name);
    else url.searchParams.set(name, next);
    history.replaceState(null, "", url);
    setValue(next);
  };
  return [value, change];
}

/** Calls a function at most once in some seconds, however often the returned one is called. */
export function useThrottled(act, seconds) {
  const state = useRef({ timer: null, act });
  state.current.act = act;
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return useCallback(() => {
    state.current.timer ??= setTimeout(() => {
      state.current.timer = null;
      state.current.act();
    }, seconds * 1000);
  }, [seconds]);
}

/**
 * The history of a topic, oldest first, which is loaded again after publications and, where the topic is not live for
 * this key, every ten seconds: `{value: {publications, offset, epoch}, problem, loading, reload}`.
 */
export function useHistory(topic, limit) {
  const [isRefused, setIsRefused] = useState(false);
  const get = async (signal) => {
    if (topic === "") return { publications: [] };
    const page = await call("history", { channel: topic, limit, reverse: true }, { signal });
    return { ...page, publications: (page.publications ?? []).reverse() };
  };
  const found = useLoaded(get, [topic, limit], isRefused && topic !== "" ? 10 : 0);
  const stream = useStream(topic === "" ? [] : [topic], useThrottled(found.reload, 2));
  useEffect(() => setIsRefused(stream.state === "refused"), [stream.state]);
  return found;
}

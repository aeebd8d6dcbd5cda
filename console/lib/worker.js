// A worker of the page, with a question and an answer at a time.

import { Problem } from "./session.js";

// The page's policy demands an object instead of text for the address of a script.
const policy = globalThis.trustedTypes?.createPolicy("workers", { createScriptURL: (url) => url });

/** A worker with the module at `name`, in this folder: `{ask(act, value, transferred), close()}`. */
export function worker(name) {
  const url = new URL(name, import.meta.url).href;
  const thread = new Worker(policy?.createScriptURL(url) ?? url, { type: "module" });
  const waiting = new Map();
  let last = 0;
  let failure = null;
  thread.addEventListener("message", ({ data: { id, value, problem } }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (problem) asked?.reject(new Problem(problem.status, problem.message));
    else asked?.resolve(value);
  });
  thread.addEventListener("error", () => {
    failure = new Problem(0, "A part of the page did not load.");
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  });
  return {
    ask: (act, value, transferred = []) => new Promise((resolve, reject) => {
      if (failure) return reject(failure);
      last += 1;
      waiting.set(last, { resolve, reject });
      thread.postMessage({ id: last, act, value }, transferred);
    }),
    close: () => thread.terminate(),
  };
}

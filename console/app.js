// The console: sign-in, navigation, and the view that the page's address names. Each view is a module of its own,
// loaded when it is first shown.

import { html, render, useEffect, useRef, useState } from "./vendor/preact-htm.js";
import { call, key, useKey } from "./lib/session.js";
import { Refused } from "./lib/parts.js";
import { VIEWS } from "./lib/views.js";

/** The name of the view in an address; the first one for the console's own path. */
function viewAt(address) {
  const name = new URL(address).pathname.split("/").pop();
  return VIEWS.some(([known]) => known === name) ? name : name === "" ? VIEWS[0][0] : null;
}

function useView() {
  const [address, setAddress] = useState(location.href);
  useEffect(() => {
    const moved = () => setAddress(location.href);
    // A link within the console changes the address and not the page.
    const clicked = (event) => {
      const link = event.target.closest?.("a[href]");
      if (!link || event.defaultPrevented || event.button !== 0 || link.target !== "") return;
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      const target = new URL(link.href);
      const folder = new URL("./", document.baseURI);
      if (target.origin !== folder.origin || !target.pathname.startsWith(folder.pathname)) return;
      const isPart = target.hash !== "" && target.pathname === location.pathname;
      if (isPart || viewAt(target) === null) return;
      event.preventDefault();
      history.pushState(null, "", target);
      dispatchEvent(new PopStateEvent("popstate"));
    };
    addEventListener("popstate", moved);
    document.addEventListener("click", clicked);
    return () => {
      removeEventListener("popstate", moved);
      document.removeEventListener("click", clicked);
    };
  }, []);
  return address;
}

function Navigation({ view }) {
  return html`<nav aria-label="Views"><ul>
    ${VIEWS.map(([name, title]) => html`<li key=${name}>
      <a href=${name} aria-current=${name === view ? "page" : undefined}>${title}</a></li>`)}
  </ul></nav>`;
}

function SignIn({ done }) {
  const [state, setState] = useState({ text: "", problem: null, busy: false });
  const field = useRef(null);
  useEffect(() => field.current.focus(), []);
  const submit = async (event) => {
    event.preventDefault();
    useKey(state.text.trim());
    setState({ ...state, busy: true, problem: null });
    try {
      await call("info");
      done();
    } catch (problem) {
      // A key without the scope `info` is a key, too.
      if (problem.status === 403) return done();
      useKey("");
      setState({ ...state, busy: false, problem });
    }
  };
  return html`<main id="view" class="sign-in" tabindex="-1"><h1>Varde console</h1>
    <form onSubmit=${submit}>
      <label for="key">API key</label>
      <input id="key" ref=${field} type="password" autocomplete="current-password" required spellcheck="false" value=${state.text}
        onInput=${(event) => setState({ ...state, text: event.target.value })} />
      <button type="submit" class="primary" disabled=${state.busy}>Sign in</button>
      <p class="hint">A key of <code>api.keys</code>. <code>varde dev</code> and the demo print theirs. This tab keeps
        the key until it is closed. A key with <code>read_only: true</code> sees everything and changes nothing.</p>
    </form>
    ${state.problem && html`<${Refused} problem=${state.problem} />`}
  </main>`;
}

function View({ address }) {
  const name = viewAt(address);
  const [loaded, setLoaded] = useState({ name: null, component: null, problem: null });
  useEffect(() => {
    if (name === null) return;
    const title = VIEWS.find(([known]) => known === name)[1];
    document.title = `${title} · Varde console`;
    import(`./views/${name}.js`).then(
      (module) => setLoaded({ name, component: module.default, problem: null }),
      () => setLoaded({ name, component: null, problem: { status: 0, message: `The view ${title} did not load.` } }),
    );
  }, [name]);
  if (name === null) {
    return html`<div class="empty"><p><strong>The console has no such view.</strong></p>
      <p><a href=${VIEWS[0][0]}>${VIEWS[0][1]}</a> is the first one.</p></div>`;
  }
  if (loaded.name !== name) return html`<p class="loading" role="status">Loading …</p>`;
  if (loaded.problem !== null) return html`<${Refused} problem=${loaded.problem} />`;
  return html`<div key=${name}><${loaded.component} /></div>`;
}

function Console() {
  const [signedIn, setSignedIn] = useState(key() !== "");
  const address = useView();
  if (!signedIn) return html`<${SignIn} done=${() => setSignedIn(true)} />`;
  const view = viewAt(address);
  const title = VIEWS.find(([name]) => name === view)?.[1] ?? "Not found";
  const leave = () => {
    useKey("");
    setSignedIn(false);
  };
  return html`<header><p class="brand"><a href=${VIEWS[0][0]}>Varde</a></p><${Navigation} view=${view} />
      <button type="button" class="quiet" onClick=${leave}>Sign out</button></header>
    <main id="view" tabindex="-1"><h1>${title}</h1><${View} address=${address} /></main>`;
}

const root = document.getElementById("console");
root.textContent = "";
render(html`<${Console} />`, root);

// API: the hub's own description of its routes and topics.

import { html } from "../vendor/preact-htm.js";
import { Loaded, Table } from "../lib/parts.js";
import { useLoaded, useRoute } from "../lib/hooks.js";
import { hubURL, load } from "../lib/session.js";

/** The routes of all documents, each with the link to its description. */
async function routes(signal) {
  const { documents } = await load("/openapi/index.json", { signal });
  const parts = await Promise.all(documents.map((name) => load(`/openapi/${name}`, { signal })));
  return parts.flatMap((part, index) => Object.entries(part.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ["get", "post", "put", "patch", "delete"].includes(method))
      .map(([method, route]) => ({
        part: documents[index].replace(/\.json$/, ""),
        method: method.toUpperCase(),
        path,
        summary: route.summary ?? "",
      }))));
}

/** The channels of an AsyncAPI document, each with the texts of its operations. */
export function channels({ channels: all, operations }) {
  return Object.entries(all).map(([id, { address, description }]) => ({
    address,
    description,
    uses: Object.values(operations)
      .filter(({ channel }) => channel.$ref === `#/channels/${id}`).map(({ summary }) => summary),
  }));
}

function Channels() {
  const found = useRoute("/asyncapi.json");
  return html`<h2>Topics</h2>
    <p><a href=${hubURL("/asyncapi.json")} target="_blank" rel="noopener">The AsyncAPI document</a>, made from the
      namespaces in force.</p>
    <${Loaded} from=${found}>${(value) => html`<${Table} caption="Topics of this hub" rows=${channels(value)}
      limit=${1000} keyOf=${(row) => row.address} columns=${[
        { name: "Topic", value: (row) => html`<code>${row.address}</code>` },
        { name: "Meaning", value: (row) => row.description },
        { name: "Clients", value: (row) => row.uses.join(" ") },
      ]} />`}<//>`;
}

export default function API() {
  const found = useLoaded(routes, []);
  return html`<p><a href=${hubURL("/openapi/")} target="_blank" rel="noopener">The whole description</a>, made from the
      OpenAPI documents in this program.</p>
    <${Loaded} from=${found}>
      ${(all) => html`<${Table} caption="Routes of this hub" rows=${all} limit=${1000}
        keyOf=${(row) => `${row.method} ${row.path} ${row.part}`}
        columns=${[
          { name: "Part", value: (row) => row.part },
          { name: "Method", value: (row) => html`<code>${row.method}</code>` },
          { name: "Path", value: (row) => html`<code>${row.path}</code>` },
          { name: "Meaning", value: (row) => row.summary },
        ]} />`}
    <//>
    <${Channels} />`;
}

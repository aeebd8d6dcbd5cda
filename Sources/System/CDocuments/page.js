"use strict";

// Shows the OpenAPI documents beside this page. Texts go into the page as text only.

const METHODS = ["get", "head", "post", "put", "patch", "delete"];
// Deeper parts of a schema are named, not shown.
const DEPTH_MAX = 6;

const files = new Map();

/** The content of a JSON file; each is fetched once. */
function load(url) {
  if (!files.has(url)) {
    files.set(
      url,
      fetch(url).then((response) => {
        if (!response.ok) throw new Error(`${url}: status ${response.status}`);
        return response.json();
      }),
    );
  }
  return files.get(url);
}

/** A value of a document, and the address by which its references are resolved. */
class Place {
  constructor(url, value) {
    this.url = url;
    this.value = value;
  }

  /** The place that this one refers to, or itself. */
  async resolved() {
    let place = this;
    for (let count = 0; count < 20; count += 1) {
      if (place.value === null || typeof place.value !== "object" || !("$ref" in place.value)) {
        return place;
      }
      const target = new URL(place.value.$ref, place.url);
      const pointer = decodeURIComponent(target.hash.slice(1));
      target.hash = "";
      let value = await load(target.href);
      for (const part of pointer.split("/").slice(1)) {
        value = value?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
      }
      if (value === undefined) throw new Error(`nothing is at ${place.value.$ref}`);
      place = new Place(target.href, value);
    }
    throw new Error("references go in a circle");
  }

  child(key) {
    return new Place(this.url, this.value[key]).resolved();
  }

  has(key) {
    return this.value !== null && typeof this.value === "object" && key in this.value;
  }

  async entries() {
    const found = [];
    for (const key of Object.keys(this.value ?? {})) found.push([key, await this.child(key)]);
    return found;
  }
}

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) made[key] = value;
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A text in which `code` between backquotes is code. */
function prose(text, name = "p", className = "") {
  const made = element(name, { className });
  String(text ?? "").split("`").forEach((part, index) => {
    made.append(index % 2 === 1 ? element("code", { textContent: part }) : part);
  });
  return made;
}

function pretty(value) {
  return element("pre", { tabIndex: 0 }, element("code", { textContent: JSON.stringify(value, null, 2) }));
}

// Schemas

/** What a schema says of a value by itself: `string, 1 to 255 characters`. */
function typeText(schema) {
  if (schema === true || schema === undefined) return "any value";
  if (schema === false) return "no value";
  const words = [];
  if ("const" in schema) words.push(JSON.stringify(schema.const));
  if ("enum" in schema) words.push(`one of ${schema.enum.map((each) => JSON.stringify(each)).join(", ")}`);
  if ("type" in schema) words.push([].concat(schema.type).join(" or "));
  if ("format" in schema) words.push(schema.format);
  for (const [low, high, unit] of [
    ["minimum", "maximum", ""],
    ["minLength", "maxLength", " characters"],
    ["minItems", "maxItems", " elements"],
  ]) {
    if (low in schema && high in schema) words.push(`${schema[low]} to ${schema[high]}${unit}`);
    else if (low in schema) words.push(`${schema[low]}${unit} or more`);
    else if (high in schema) words.push(`up to ${schema[high]}${unit}`);
  }
  if ("pattern" in schema) words.push(`like ${schema.pattern}`);
  if ("default" in schema) words.push(`default ${JSON.stringify(schema.default)}`);
  return words.join(", ") || "value";
}

async function schemaItem(name, place, isRequired, depth) {
  const label = element("li");
  if (name) label.append(element("code", { textContent: name }), isRequired ? ": " : " (optional): ");
  const schema = place.value;
  label.append(typeText(schema));
  if (schema?.description) label.append(" – ", prose(schema.description, "span", "muted"));
  const children = await schemaChildren(place, depth);
  if (children) label.append(children);
  return label;
}

/** The parts of an object, an array or a choice; null for a value without parts. */
async function schemaChildren(place, depth) {
  const list = element("ul", { className: "schema" });
  if (depth >= DEPTH_MAX) return null;
  if (place.has("properties")) {
    const required = place.value.required ?? [];
    for (const [key, child] of await (await place.child("properties")).entries()) {
      list.append(await schemaItem(key, child, required.includes(key), depth + 1));
    }
  }
  for (const [key, label] of [["items", "each element"], ["additionalProperties", "any other member"]]) {
    if (place.has(key) && typeof place.value[key] === "object") {
      list.append(await schemaItem(label, await place.child(key), true, depth + 1));
    }
  }
  for (const key of ["oneOf", "anyOf", "allOf"]) {
    if (!place.has(key)) continue;
    for (const [, child] of await (await place.child(key)).entries()) {
      list.append(await schemaItem(key, child, true, depth + 1));
    }
  }
  return list.children.length > 0 ? list : null;
}

// Operations

async function parameterTable(places) {
  if (places.length === 0) return null;
  const body = element("tbody");
  for (const place of places) {
    const { name, in: where, required, description } = place.value;
    const schema = place.has("schema") ? (await place.child("schema")).value : undefined;
    body.append(
      element(
        "tr",
        {},
        element("th", { scope: "row" }, element("code", { textContent: name })),
        element("td", { textContent: where + (required ? ", required" : "") }),
        element("td", { textContent: typeText(schema) }),
        element("td", {}, prose(description)),
      ),
    );
  }
  const titles = ["Name", "In", "Value", "Meaning"].map((title) => element("th", { scope: "col", textContent: title }));
  return element("table", {}, element("thead", {}, element("tr", {}, ...titles)), body);
}

async function contents(place) {
  const found = element("div");
  if (!place.has("content")) return found;
  for (const [type, media] of await (await place.child("content")).entries()) {
    found.append(element("p", { className: "muted", textContent: type }));
    if (media.has("schema")) {
      const list = element("ul", { className: "schema" });
      list.append(await schemaItem("", await media.child("schema"), true, 0));
      found.append(list);
    }
    if (media.has("example")) found.append(element("h4", { textContent: "Example" }), pretty(media.value.example));
    if (!media.has("examples")) continue;
    for (const [name, example] of await (await media.child("examples")).entries()) {
      const title = example.value.summary ?? name;
      found.append(element("h4", { textContent: `Example: ${title}` }), pretty(example.value.value));
    }
  }
  return found;
}

async function answer(status, place) {
  const made = element("section", { className: "answer" });
  made.append(element("h4", { textContent: status === "default" ? "Any other status" : status }));
  made.append(prose(place.value.description));
  if (place.has("headers")) {
    const list = element("ul", { className: "schema" });
    for (const [name, header] of await (await place.child("headers")).entries()) {
      const item = element("li", {}, element("code", { textContent: name }));
      if (header.value.description) item.append(" – ", prose(header.value.description, "span"));
      list.append(item);
    }
    made.append(element("h4", { textContent: "Headers" }), list);
  }
  made.append(await contents(place));
  return made;
}

function credentials(operation, description) {
  const security = operation.value.security ?? description.value.security ?? [];
  if (security.length === 0) return "No credentials.";
  const schemes = description.value.components?.securitySchemes ?? {};
  const choices = security.map((choice) => {
    const names = Object.keys(choice).map((name) => {
      const scheme = schemes[name] ?? {};
      if (scheme.type === "apiKey") return `${scheme.name} in the ${scheme.in}`;
      return scheme.type === "http" ? `Authorization: ${scheme.scheme}` : name;
    });
    return names.join(" and ") || "none";
  });
  return `Credentials: ${choices.join(", or ")}.`;
}

async function operationBody(operation, item, description) {
  const made = element("div");
  if (operation.value.description) made.append(prose(operation.value.description));
  made.append(element("p", { className: "muted", textContent: credentials(operation, description) }));
  const parameters = [];
  for (const owner of [item, operation]) {
    if (!owner.has("parameters")) continue;
    for (const [, parameter] of await (await owner.child("parameters")).entries()) parameters.push(parameter);
  }
  const table = await parameterTable(parameters);
  if (table) made.append(element("h3", { textContent: "Parameters" }), table);
  if (operation.has("requestBody")) {
    made.append(element("h3", { textContent: "Request" }), await contents(await operation.child("requestBody")));
  }
  made.append(element("h3", { textContent: "Answers" }));
  for (const [status, response] of await (await operation.child("responses")).entries()) {
    made.append(await answer(status, response));
  }
  return made;
}

/** A route, whose parts are made when it is opened. */
function operationElement(method, path, operation, item, description) {
  const { operationId, summary } = operation.value;
  const made = element("details", { className: "operation", id: operationId ?? `${method} ${path}` });
  made.dataset.words = `${method} ${path} ${operationId} ${summary}`.toLowerCase();
  made.append(
    element(
      "summary",
      {},
      element("span", { className: `method method-${method}`, textContent: method.toUpperCase() }),
      element("span", { className: "path", textContent: path }),
      element("span", { className: "muted", textContent: summary ? ` – ${summary}` : "" }),
    ),
  );
  made.addEventListener(
    "toggle",
    async () => {
      try {
        made.append(await operationBody(operation, item, description));
      } catch (error) {
        made.append(element("p", { textContent: String(error) }));
      }
    },
    { once: true },
  );
  return made;
}

async function documentElement(name) {
  const url = new URL(name, document.baseURI).href;
  const description = new Place(url, await load(url));
  const { title, description: text } = description.value.info;
  const id = `document-${name.replace(".json", "")}`;
  const made = element("section", { id });
  made.setAttribute("aria-labelledby", `${id}-title`);
  made.append(element("h2", { id: `${id}-title`, textContent: title }), prose(text));
  made.append(element("p", {}, element("a", { href: name, textContent: name })));
  for (const [path, item] of await (await description.child("paths")).entries()) {
    for (const method of METHODS.filter((each) => item.has(each))) {
      made.append(operationElement(method, path, await item.child(method), item, description));
    }
  }
  return { id, title, made };
}

// The page

function filter(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const section of document.querySelectorAll("main > section")) {
    let isShown = false;
    for (const operation of section.querySelectorAll("details.operation")) {
      operation.hidden = !words.every((word) => operation.dataset.words.includes(word));
      if (!operation.hidden) {
        count += 1;
        isShown = true;
      }
    }
    section.hidden = !isShown;
  }
  document.getElementById("state").textContent = `${count} routes`;
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
  target?.scrollIntoView();
}

async function show() {
  document.getElementById("origin").textContent = new URL("..", document.baseURI).href;
  const index = await load(new URL("index.json", document.baseURI).href);
  const parts = await Promise.all(index.documents.map(documentElement));
  const list = element("ul");
  for (const { id, title, made } of parts) {
    document.getElementById("routes").append(made);
    list.append(element("li", {}, element("a", { href: `#${id}`, textContent: title })));
  }
  document.getElementById("contents").append(list);
  const input = document.getElementById("filter");
  input.addEventListener("input", () => filter(input.value));
  filter(input.value);
  window.addEventListener("hashchange", openTarget);
  if (location.hash) openTarget();
}

show().catch((error) => {
  document.getElementById("state").textContent = `The descriptions could not be loaded: ${error.message}`;
});

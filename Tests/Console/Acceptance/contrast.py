"""The contrast of what a page shows, from the pixels that are really behind it: WCAG 2.2, 1.4.3 and 1.4.11.

The page collects its texts and marks with their colours, then makes them invisible. A screenshot has what is behind
them. Texts in a canvas are collected when they are drawn, those with a halo on its colour. Of the pixels behind a text
the worst tenth counts, so that a thin line behind it does not matter, and a coloured cell does; of those behind a mark,
which may be as small as a line, the worse half.
"""

import base64

TEXT, LARGE = 4.5, 3.0
# The parts of the pictures that carry their meaning, and the borders of fields and buttons.
MARKS = (
    ".curve, .bound line, rect.alert, rect.delivered, rect.refused, rect.silent, .poll-changed, .poll-unchanged, "
    ".poll-failed, .next, line.now, .received, .sent, svg.spark path, circle.opinion, .arc"
)
CONTROLS = "input:not([type=range]), select, textarea, button:not(.quiet)"

# Records the texts of canvases, each with its colour and the ground at that moment.
CANVAS = """
window.canvasTexts = [];
const { fillText: original, strokeText: outline } = CanvasRenderingContext2D.prototype;
let halo = null;
CanvasRenderingContext2D.prototype.strokeText = function (...all) {
  halo = { text: all[0], colour: this.strokeStyle };
  return outline.apply(this, all);
};
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
  const { a, d, e, f } = this.getTransform();
  const size = this.measureText(text);
  const box = [
    a * (x - size.actualBoundingBoxLeft) + e, d * (y - size.actualBoundingBoxAscent) + f,
    a * (size.actualBoundingBoxLeft + size.actualBoundingBoxRight),
    d * (size.actualBoundingBoxAscent + size.actualBoundingBoxDescent),
  ].map(Math.round);
  if (halo?.text === text) {
    const ground = halo.colour;
    window.canvasTexts.push({ canvas: this.canvas, text, colour: this.fillStyle, opacity: 1, data: [0, 0, 0, 0], ground });
  } else if (String(text).trim() !== "" && box[2] > 0 && box[3] > 0) {
    const data = [...this.getImageData(...box).data];
    window.canvasTexts.push({ canvas: this.canvas, text, colour: this.fillStyle, opacity: this.globalAlpha, data });
  }
  halo = null;
  return original.call(this, text, x, y, ...rest);
};
"""
COLLECT = """([marks, controls]) => {
  const found = [];
  const opacity = (element) => {
    let value = 1;
    for (let each = element; each; each = each.parentElement) value *= getComputedStyle(each).opacity;
    return value;
  };
  const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const isAt = (element, x, y) => {
    const top = document.elementFromPoint(x, y);
    return top !== null && element.contains(top);
  };
  const add = (kind, element, text, colour, box, wanted) => {
    if (box.width < 1 && box.height < 1) return;
    found.push({ kind, text: text.trim().slice(0, 60), colour, opacity: opacity(element), wanted,
      box: [box.left, box.top, box.width, box.height] });
  };
  const wanted = ({ fontSize, fontWeight }) => {
    const size = parseFloat(fontSize);
    return size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700) ? 3 : 4.5;
  };
  const range = document.createRange();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    const element = node.parentElement;
    // Of what is disabled, WCAG demands nothing; the texts of choices are drawn by the system.
    if (node.data.trim() === "" || element.closest("script, style, option, datalist, noscript, :disabled")) continue;
    if (!isSeen(element)) continue;
    const style = getComputedStyle(element);
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (!isAt(element, box.left + box.width / 2, box.top + box.height / 2)) continue;
      add("text", element, node.data, element instanceof SVGElement ? style.fill : style.color, box, wanted(style));
    }
  }
  for (const field of document.querySelectorAll("input, select, textarea")) {
    if (!isSeen(field) || field.disabled || ["range", "checkbox"].includes(field.type)) continue;
    const text = field.value || field.placeholder || "";
    if (text === "") continue;
    const style = getComputedStyle(field, field.value === "" ? "::placeholder" : undefined);
    add("text", field, text, style.color, field.getBoundingClientRect(), wanted(style));
  }
  for (const mark of document.querySelectorAll(marks)) {
    if (!isSeen(mark)) continue;
    const style = getComputedStyle(mark);
    const isLine = style.fill === "none" || ["line", "polyline"].includes(mark.tagName);
    const box = mark.getBoundingClientRect();
    if (!isAt(mark.ownerSVGElement, box.left + box.width / 2, box.top + box.height / 2)) continue;
    add("mark", mark, `${mark.tagName}.${mark.getAttribute("class") ?? mark.parentElement.getAttribute("class")}`,
      isLine ? style.stroke : style.fill, box, 3);
  }
  for (const control of document.querySelectorAll(controls)) {
    const box = control.getBoundingClientRect();
    if (!isSeen(control) || control.disabled || !isAt(control, box.left + box.width / 2, box.top + box.height / 2)) continue;
    const beside = { left: box.left - 3, top: box.top + 4, width: 2, height: Math.max(1, box.height - 8) };
    add("border", control, control.tagName, getComputedStyle(control).borderTopColor, beside, 3);
  }
  const ground = getComputedStyle(document.body).backgroundColor;
  for (const { canvas, text, colour, opacity: own, data, ground: behind } of window.canvasTexts) {
    if (canvas.isConnected) found.push({ kind: "canvas", text, colour, opacity: own, wanted: 4.5, data, ground: behind ?? ground });
  }
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    * { color: transparent !important; caret-color: transparent !important; transition: none !important; }
    ::placeholder { color: transparent !important; }
    svg text, svg tspan { fill: transparent !important; }
    ${marks} { visibility: hidden !important; }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return found;
}"""
# In a page of its own, without a policy: the ratio of each, from the pixels of the screenshot.
RATIOS = """async ([image, found]) => {
  const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${image}`)).blob());
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(picture, 0, 0);
  const probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const parsed = (colour) => {
    const parts = colour.match(/^rgba?\\(([^)]*)\\)$/)?.[1].split(/[ ,/]+/).map(Number);
    if (parts) return [...parts.slice(0, 3), parts[3] ?? 1];
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    const data = [...probe.getImageData(0, 0, 1, 1).data];
    return [...data.slice(0, 3), data[3] / 255];
  };
  const over = (top, alpha, ground) => top.map((value, index) => value * alpha + ground[index] * (1 - alpha));
  const luminance = (colour) => {
    const [r, g, b] = colour.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  return found.map(({ box, data, ground, colour, opacity, ...rest }) => {
    if (box) {
      const left = Math.max(0, Math.floor(box[0]));
      const top = Math.max(0, Math.floor(box[1]));
      data = context.getImageData(left, top, Math.max(1, Math.round(box[2])), Math.max(1, Math.round(box[3]))).data;
    }
    const [red, green, blue, alpha] = parsed(colour);
    const behind = parsed(ground ?? "rgb(255, 255, 255)").slice(0, 3);
    const all = [];
    for (let at = 0; at < data.length; at += 4) {
      const pixel = over([data[at], data[at + 1], data[at + 2]], data[at + 3] / 255, behind);
      all.push({ pixel, ratio: ratio(over([red, green, blue], alpha * opacity, pixel), pixel) });
    }
    all.sort((a, b) => a.ratio - b.ratio);
    const least = all[Math.floor(all.length / (rest.kind === "mark" ? 2 : 10))];
    return { box, ...rest, colour, ratio: least.ratio, behind: least.pixel.map(Math.round).join(" ") };
  });
}"""
HIDE = """() => {
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
HEIGHT_MAX = 6000


def contrasts(page, reader):
    """Everything with a contrast on a page: `kind`, `text`, `ratio` and the `wanted` one. `reader` is an empty page."""
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": 1280, "height": min(HEIGHT_MAX, height)})
    # Pictures are drawn again for their width; then nothing changes, because a hidden page loads nothing.
    page.wait_for_timeout(300)
    page.evaluate(HIDE)
    page.wait_for_timeout(300)
    found = page.evaluate(COLLECT, [MARKS, CONTROLS])
    image = base64.b64encode(page.screenshot(animations="disabled")).decode()
    return reader.evaluate(RATIOS, [image, found])

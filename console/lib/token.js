// Tokens of development: a JSON Web Token signed in the page (RFC 7515, HS256). The secret stays in the call.

const encoder = new TextEncoder();

/** base64url without padding, of bytes. */
export function base64url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * The claims of a token.
 *
 * @param now seconds since 1970.
 * @param more other claims; they replace those before them.
 */
export function claims({ user, seconds, topic, more }, now) {
  const named = { ...(user === "" ? {} : { sub: user }), ...(topic ? { channel: topic } : {}) };
  return { ...named, iat: now, exp: now + seconds, ...more };
}

/** Whether a page may make tokens: only one from this machine, where a hub of development is. */
export function mayMakeTokens({ hostname }, subtle) {
  return subtle !== undefined && /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(hostname);
}

/** The claims, signed with a secret. */
export async function signed(claims, secret) {
  const part = (value) => base64url(encoder.encode(JSON.stringify(value)));
  const text = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  return `${text}.${base64url(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))))}`;
}

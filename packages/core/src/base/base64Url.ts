const canonical = /^[A-Za-z0-9_-]*$/u

/** Bytes as base64url without padding. */
export const toBase64Url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/u, "")

/** The bytes of base64url that is written without padding in its one canonical form; undefined for anything else. */
export const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  if (!canonical.test(text) || text.length % 4 === 1) return undefined
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.codePointAt(0) ?? 0)
  return toBase64Url(bytes) === text ? bytes : undefined
}

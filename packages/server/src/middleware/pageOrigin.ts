/**
 * As whom the scripts of a page run. Of the same origin they may call the service. In a sandbox they have no origin, so that they have no
 * session of the browser either, and they call nobody (Content Security Policy Level 3, section 6.3.2): where operators sign in, a page
 * that is only to be read must not be able to act for them.
 */
export type PageOrigin = "same origin" | "sandboxed"

/** What a policy says of it. */
export const originDirectives: Readonly<Record<PageOrigin, ReadonlyArray<string>>> = {
  "same origin": ["connect-src 'self'"],
  sandboxed: ["connect-src 'none'", "sandbox allow-scripts"]
}

/** A document without an origin has no storage, and asking for it throws; scripts that remember a choice get one that ends with the page. */
const storage = `for (const name of ["localStorage", "sessionStorage"]) {
  const kept = new Map()
  Object.defineProperty(globalThis, name, { value: {
    get length() { return kept.size },
    key: (index) => [...kept.keys()][index] ?? null,
    getItem: (key) => kept.get(String(key)) ?? null,
    setItem: (key, value) => void kept.set(String(key), String(value)),
    removeItem: (key) => void kept.delete(String(key)),
    clear: () => kept.clear()
  } })
}`

/** A page that can run as this. */
export const pageFor = (origin: PageOrigin, html: string): string =>
  origin === "sandboxed" ? html.replace("<head>", () => `<head><script>${storage}</script>`) : html

/** A pair of a `Forwarded` element (RFC 7239, section 4), at the start of what is left: its name, its value, what ends it. */
const pair = /^[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)|"((?:[^"\\]|\\.)*)")[ \t]*(;|,|$)/u

/** The address of a node: IPv4 or bracketed IPv6, each with or without a port. `unknown` and hidden names are none. */
const addressOf = (node: string): string | undefined => {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|(\d{1,3}(?:\.\d{1,3}){3}))(?::\d{1,5})?$/u.exec(node)
  return match?.[1] ?? match?.[2]
}

/**
 * Whom each hop of a `Forwarded` header was made for, the nearest last. A hop that names no address is undefined; where the
 * header does not follow its grammar, the nearest hop is one, so that nothing of it is believed.
 */
export const forwardedHops = (header: string): ReadonlyArray<string | undefined> => {
  const hops: Array<string | undefined> = []
  let rest = header
  let node: string | undefined
  for (;;) {
    const match = pair.exec(rest)
    if (match === null) return [...hops, undefined]
    const [whole, name = "", token, quoted, end] = match
    if (name.toLowerCase() === "for") {
      if (node !== undefined) return [...hops, undefined]
      node = token ?? (quoted ?? "").replaceAll(/\\(.)/gu, "$1")
    }
    rest = rest.slice(whole.length)
    if (end === ";") continue
    hops.push(node === undefined ? undefined : addressOf(node))
    node = undefined
    if (end === "") return hops
  }
}

/**
 * The text that is signed (RFC 9421, section 2.5): a line per component in the order in which they are covered, then the
 * parameters as they stand in `Signature-Input`.
 */
export const signatureBase = (components: Iterable<readonly [name: string, value: string]>, params: string): string =>
  [...Array.from(components, ([name, value]) => `"${name}": ${value}`), `"@signature-params": ${params}`].join("\n")

/**
 * The host and port as they are covered: in lower case, without the port of https (RFC 9421, section 2.2.3). HTTP clients
 * leave the default port out of `Host` themselves.
 */
export const canonicalAuthority = (host: string): string => host.trim().toLowerCase().replace(/:443$/u, "")

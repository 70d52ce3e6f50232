import { isUtf8 } from "node:buffer"

const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/iu

/** JSON is UTF-8 (RFC 8259, section 8.1), of which ASCII is a part. */
const jsonCharsets: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii"])

/** Whether a content type says that a body is written in what JSON is not. */
export const namesOtherCharset = (contentType: string | undefined): boolean => {
  const named = contentType === undefined ? undefined : charset.exec(contentType)?.[1]
  return named !== undefined && !jsonCharsets.has(named.toLowerCase())
}

/** What stands in a decoded text for bytes that cannot be read, and for itself. */
export const unread = "\uFFFD"

/** Whether all of a body could be read. */
export const isReadable = (body: ArrayBuffer): boolean => isUtf8(new Uint8Array(body))

const escapes = /(?:%[0-9a-f]{2})+/giu

/** Whether the escapes of a URL's query are UTF-8. Any other would be asked for with U+FFFD in it, and be found nowhere. */
export const isReadableQuery = (url: string): boolean => {
  const start = url.indexOf("?")
  if (start === -1 || !url.includes("%", start)) return true
  return (url.slice(start).match(escapes) ?? []).every((run) => isUtf8(Buffer.from(run.replaceAll("%", ""), "hex")))
}

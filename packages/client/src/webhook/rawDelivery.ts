/** Headers in any of the shapes in which frameworks have them. */
export type HeadersLike = Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A header by its name, whatever the case in which it was written. */
export const headerIn =
  (headers: HeadersLike) =>
  (name: string): string | undefined => {
    if (headers instanceof Headers) return headers.get(name) ?? undefined
    const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
    return typeof found === "string" ? found : found?.[0]
  }

/** The greatest body that is read, in bytes. Events are far smaller. */
const bodyBytesMax = 1_048_576

/** A body is too large for an event. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge"
}

/** The bytes of a body that comes in chunks. */
export const bytesIn = async (chunks: AsyncIterable<string | Uint8Array>): Promise<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of chunks) {
    const part = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk
    length += part.length
    if (length > bodyBytesMax) throw new BodyTooLarge(`A body of more than ${bodyBytesMax} bytes is no event.`)
    parts.push(part)
  }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}

/**
 * A body as it came, in bytes. Throws a `TypeError` for one that was parsed: nobody signed what could be made of it, and of a number
 * JavaScript would make an array of that length.
 */
export const rawBytes = (body: unknown): Uint8Array<ArrayBuffer> => {
  if (typeof body === "string") return new TextEncoder().encode(body)
  // what `request.arrayBuffer()` gives is raw, too
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new TypeError(
    "The body was not given as it came, so its signature cannot be verified: it is neither text nor bytes. In Express, mount the " +
      'receiver before express.json(), or after express.raw({ type: "application/json" }). In Fastify, add a parser with ' +
      '{ parseAs: "buffer" } for application/json. Elsewhere, give the body before anything parses it.'
  )
}

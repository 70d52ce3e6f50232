import { Effect } from "effect"
import { connect } from "node:net"

/** What is sent over a connection of its own. */
export interface Sending {
  /** `http://<host>:<port>`. */
  readonly url: string
  /** The address of this machine that it comes from. */
  readonly from: string
  readonly bytes: Uint8Array
  /** How long an answer may take, in milliseconds. */
  readonly patienceMs: number
}

/** An answer as it came. */
export interface Answer {
  readonly _tag: "Answer"
  readonly status: number
  /** By their names in lower case; several of one name joined with a comma. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** No answer came, or none that is HTTP. */
export interface Silence {
  readonly _tag: "Silence"
  readonly why: string
}

const headEnd = Buffer.from("\r\n\r\n")

const headersOf = (lines: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(":")
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const known = headers.get(name)
    headers.set(name, known === undefined ? value : `${known}, ${value}`)
  }
  return headers
}

/** The content of a body in chunks; undefined while some of it is missing. */
const unchunked = (bytes: Buffer): Buffer | undefined => {
  const chunks: Array<Buffer> = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf("\r\n", at)
    if (end < 0) return undefined
    const length = Number.parseInt(bytes.toString("latin1", at, end), 16)
    if (!(length >= 0) || bytes.length < end + 2 + length + 2) return undefined
    if (length === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
}

const bodyOf = (bytes: Buffer, headers: ReadonlyMap<string, string>, closed: boolean): Buffer | undefined => {
  if (headers.get("transfer-encoding") === "chunked") return unchunked(bytes)
  const length = Number(headers.get("content-length") ?? (closed ? bytes.length : Number.NaN))
  return bytes.length >= length ? bytes.subarray(0, length) : undefined
}

/** The first answer among what was heard, those in between (1xx) left out; undefined where it is not whole. */
export const readAnswer = (heard: Buffer, closed: boolean, isHead: boolean): Answer | undefined => {
  const end = heard.indexOf(headEnd)
  if (end < 0) return undefined
  const [first = "", ...lines] = heard.toString("latin1", 0, end).split("\r\n")
  const status = Number(/^HTTP\/1\.1 (\d{3})/u.exec(first)?.[1])
  if (!(status >= 100)) return undefined
  const rest = heard.subarray(end + headEnd.length)
  if (status < 200) return readAnswer(rest, closed, isHead)
  const headers = headersOf(lines)
  const body = isHead || status === 204 || status === 304 ? Buffer.alloc(0) : bodyOf(rest, headers, closed)
  return body === undefined ? undefined : { _tag: "Answer", status, headers, body: body.toString("utf8") }
}

/** Sends bytes as they are, and gives the first answer to them. */
export const sendBytes = ({ bytes, from, patienceMs, url }: Sending): Effect.Effect<Answer | Silence> =>
  Effect.callback<Answer | Silence>((resume) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ port: Number(port), host: hostname, localAddress: from })
    const isHead = Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "HEAD "
    let heard = Buffer.alloc(0)
    let done = false
    const finish = (result: Answer | Silence) => {
      if (done) return
      done = true
      socket.destroy()
      resume(Effect.succeed(result))
    }
    const ended = (why: string) => finish(readAnswer(heard, true, isHead) ?? { _tag: "Silence", why })
    socket.setTimeout(patienceMs, () => ended("nothing came in time"))
    socket.on("connect", () => socket.write(bytes))
    socket.on("data", (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk])
      const answer = readAnswer(heard, false, isHead)
      if (answer !== undefined) finish(answer)
    })
    socket.on("end", () => ended("closed without an answer"))
    socket.on("error", (error) => ended(error.message))
    return Effect.sync(() => socket.destroy())
  })

import { Effect } from "effect"

/** An event of a stream as it was sent. */
export interface SentEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: any // oxlint-disable-line typescript/no-explicit-any -- tests look into it
}

const parse = (block: string): SentEvent => {
  const lines = block.split("\n").map((line) => /^(\w+): ?(.*)$/u.exec(line) ?? [])
  const field = (name: string) => lines.find(([, one]) => one === name)?.[2]
  return { event: field("event") ?? "message", id: field("id"), data: JSON.parse(field("data") ?? "null") }
}

/** Opens a stream of server-sent events, which is closed with the scope. */
export const openStream = Effect.fnUntraced(function* (url: string, headers: Readonly<Record<string, string>>) {
  const abort = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (one) => Effect.sync(() => one.abort())
  )
  const answer = yield* Effect.promise(() => fetch(url, { headers, signal: abort.signal }))
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  /** The next event; undefined where the stream has ended. */
  const next: Effect.Effect<SentEvent | undefined> = Effect.promise(async () => {
    while (!rest.includes("\n\n")) {
      const read = await reader?.read()
      if (read === undefined || read.done) return undefined
      rest += read.value
    }
    const end = rest.indexOf("\n\n")
    const block = rest.slice(0, end)
    rest = rest.slice(end + 2)
    return parse(block)
  })
  /** The next event that fits; everything before it is passed over. */
  const until = (fits: (one: SentEvent) => boolean) =>
    Effect.gen(function* () {
      for (;;) {
        const one = yield* next
        if (one === undefined) return yield* Effect.die(new Error("the stream ended"))
        if (fits(one)) return one
      }
    })
  return { status: answer.status, headers: answer.headers, next, until }
})

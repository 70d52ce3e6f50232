import { Data, Effect } from "effect"

/** Something that had to be there before the calls could not be made. */
export class NotReady extends Data.TaggedError("NotReady")<{ readonly message: string }> {}

/** What is sent besides where to. */
export interface Asking {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** An answer with its body read: JSON as what it says, anything else as text. */
export interface Told {
  readonly status: number
  // each asker looks at what it expects of the contract
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** Asks by plain HTTP and gives whatever is answered. */
export const ask = (
  method: string,
  url: string,
  { body, headers, token }: Asking = {}
): Effect.Effect<Told, NotReady> =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(url, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        body: body === undefined ? null : JSON.stringify(body)
      })
      const text = await response.text()
      const isJson = /^application\/json\b/u.test(response.headers.get("content-type") ?? "")
      return { status: response.status, body: text === "" ? undefined : isJson ? JSON.parse(text) : text }
    },
    catch: (error) => new NotReady({ message: `${method} ${url}: ${String(error)}` })
  })

/** Asks for what has to succeed. */
export const insist = (method: string, url: string, asking: Asking = {}): Effect.Effect<Told, NotReady> =>
  Effect.filterOrFail(
    ask(method, url, asking),
    ({ status }) => status < 300,
    ({ body, status }) => new NotReady({ message: `${method} ${url}: ${status} ${JSON.stringify(body)}` })
  )

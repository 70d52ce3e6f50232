import { Effect } from "effect"

/** Everything that was posted, whenever it is read. */
const since = "2020-01-01T00:00:00Z"

const paths: ReadonlyArray<readonly [path: string, query: Readonly<Record<string, string>>]> = [
  ["/v1/float", {}],
  ["/v1/register", { since, limit: "200" }],
  ["/v1/register/summary", { since }],
  ["/v1/events", { limit: "500" }],
  ["/v1/deposits", { limit: "500" }],
  ["/v1/deposit-addresses", { limit: "500" }]
]

const get = (partnerUrl: string, key: string, path: string, query: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async (): Promise<Readonly<Record<string, unknown>>> => {
    const url = `${partnerUrl}${path}?${new URLSearchParams(query)}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    if (!response.ok) throw new Error(`${url}: ${await response.text()}`)
    return response.json()
  })

/** What a partner sees of its money and of what happened to it, by the path that was asked. Plain HTTP, so that it outlives the client. */
export const figuresOf = Effect.fnUntraced(function* (partnerUrl: string, key: string) {
  const answers: Record<string, unknown> = {}
  for (const [path, query] of paths) answers[path] = yield* get(partnerUrl, key, path, query)
  const { currencies } = yield* get(partnerUrl, key, "/v1/float")
  for (const currency of codesOf(currencies)) {
    answers[`/v1/float/statement of ${currency}`] = yield* get(partnerUrl, key, "/v1/float/statement", {
      currency,
      since,
      limit: "500"
    })
  }
  return answers
})

const codesOf = (currencies: unknown): ReadonlyArray<string> =>
  // The contract of `GET /v1/float`.
  (currencies as ReadonlyArray<{ readonly available: { readonly currency: string } }>).map(
    ({ available }) => available.currency
  )

import { readFileSync } from "node:fs"
import type { PrivateJwk } from "@bursar/api/signature/Ed25519"
import { BursarError, createClient } from "@bursar/client"

/** What a process of clients is told, as JSON in the file that its first argument names. */
export interface Clients {
  readonly baseUrl: string
  /** One client for each. */
  readonly apiKeys: ReadonlyArray<string>
  /** The pair that all of them sign with. */
  readonly signingKey: PrivateJwk
  /** The payouts, which are asked for {@link callersMax} at once, by the clients in turn. */
  readonly payouts: ReadonlyArray<{ readonly currency: string; readonly amount: string; readonly to: string }>
}

/** How many requests are open at once: fewer than the connections that the server takes from one address. */
const callersMax = 200

/** What it prints, as JSON. */
export interface Posted {
  /** When the first was about to be posted, in Unix milliseconds. */
  readonly startedAt: number
  readonly tookMs: number
  /** How long the answers took: of half of them at most, and of the slowest. */
  readonly medianMs: number
  readonly slowestMs: number
  readonly ids: ReadonlyArray<string>
  /** The codes of those that failed. Nothing is tried again. */
  readonly failed: ReadonlyArray<string>
}

if (import.meta.main) {
  const { apiKeys, baseUrl, payouts, signingKey }: Clients = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"))
  const clients = apiKeys.map((apiKey) => createClient({ baseUrl, apiKey, signingKey, retry: { retriesMax: 0 } }))
  // what is made at the first call is made now
  await Promise.all(clients.map((client) => client.introspection.whoami()))
  const startedAt = Date.now()
  const pay = async ({ amount, currency, to }: Clients["payouts"][number], at: number) => {
    const [first] = clients
    const client = clients[at % clients.length] ?? first
    const since = Date.now()
    try {
      const payout = await client?.chainPayouts.create({
        amount: { amount, currency },
        network: "ethereum",
        destination: { address: to },
        reference: `bench-${at}`
      })
      return { id: payout?.id ?? "", ms: Date.now() - since }
    } catch (error) {
      return { code: error instanceof BursarError ? error.code : String(error) }
    }
  }
  const asked: Array<Awaited<ReturnType<typeof pay>>> = []
  const left = payouts.entries()
  const caller = async (): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- a caller asks one thing at a time
    for (const [at, payout] of left) asked.push(await pay(payout, at))
  }
  await Promise.all(Array.from({ length: callersMax }, caller))
  const took = asked.flatMap(({ ms }) => (ms === undefined ? [] : [ms])).toSorted((one, other) => one - other)
  const posted: Posted = {
    startedAt,
    tookMs: Date.now() - startedAt,
    medianMs: took[Math.floor(took.length / 2)] ?? 0,
    slowestMs: took.at(-1) ?? 0,
    ids: asked.flatMap(({ id }) => (id === undefined ? [] : [id])),
    failed: asked.flatMap(({ code }) => (code === undefined ? [] : [code]))
  }
  process.stdout.write(`${JSON.stringify(posted)}\n`)
}

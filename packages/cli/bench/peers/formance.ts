import { spawn } from "@bursar/simulator-kit/SupervisedProcess"
import { Effect, Schedule } from "effect"
import { freePort, type Peer, post, programOf } from "./Peer.ts"

const name = "Formance's ledger"
const bulkSize = 100

const posting = (source: string, destination: string, amount: number) => ({
  source,
  destination,
  asset: "USD/2",
  amount
})

const transaction = { postings: [posting("hot", "holds", 100), posting("hot", "fees", 1)] }

/** Formance's ledger on a database, for the length of a scope: a transaction of two postings out of one account. */
export const formance = Effect.fnUntraced(function* (database: string) {
  const found = programOf(name, "FORMANCE_LEDGER")
  if ("variable" in found) return found
  const port = yield* freePort
  yield* spawn({
    command: found.program,
    args: [
      ...["serve", "--auto-upgrade", "--bind", `127.0.0.1:${port}`, "--postgres-uri", `${database}?sslmode=disable`],
      ...["--postgres-max-open-conns", "50", "--postgres-max-idle-conns", "50"]
    ],
    stopSignal: "SIGTERM",
    graceMs: 5_000
  })
  const url = `http://127.0.0.1:${port}/v2/bench`
  // it answers once its tables are there
  yield* Effect.retry(post(url, {}), { schedule: Schedule.spaced("500 millis"), times: 60 })
  yield* post(`${url}/transactions`, { postings: [posting("world", "hot", 1e15)] })
  return {
    name,
    url: `${url}/transactions`,
    body: JSON.stringify(transaction),
    bulk: {
      url: `${url}/_bulk`,
      size: bulkSize,
      body: JSON.stringify(
        Array.from({ length: bulkSize }, () => ({ action: "CREATE_TRANSACTION", data: transaction }))
      )
    }
  } satisfies Peer
})

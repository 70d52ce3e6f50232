import { migrate } from "@bursar/postgres"
import { Effect, Redacted } from "effect"
import { digits, line, percent, round, whole } from "../line.ts"
import { payouts as measure } from "../payouts.ts"
import { settings } from "../settings.ts"
import type { Lines } from "./Lines.ts"

/** Payouts of one wallet beside a loop of viem's, on databases of their own. */
export const payouts: Lines = Effect.fnUntraced(function* (server) {
  const database = Effect.fnUntraced(function* (name: string) {
    const url = yield* server.ensureDatabase(name)
    yield* migrate({ url: Redacted.make(url) })
    return { url, pid: server.process.pid }
  })
  const databases = { signer: yield* database("payouts"), worker: yield* database("payouts_keys") }
  const { inProcess, oneByOne, service, sixteen } = yield* measure(databases, settings.payouts)
  const { blocks, each, perSecond, posted, slowestMs } = service
  const spent = each.map(({ micros, name }) => `${round(micros)} µs of the ${name}`).join(", ")
  return [
    line`${settings.payouts} transfers by a bare loop, to the last block: ${whole(oneByOne)}/s one by one, ${whole(sixteen)}/s 16 at once`,
    line`${settings.payouts} chain payouts of one wallet, from the first request to the last block: ${whole(perSecond)}/s in ${whole(blocks)} blocks, ${percent(perSecond, oneByOne)} and ${percent(perSecond, sixteen)} of the loop; posted at once: ${whole(posted)}/s, the slowest answer after ${digits(slowestMs / 1_000, 1)} s`,
    line`the processor of each of these payouts, until it is settled: ${spent}`,
    line`the same with the keys in the worker: ${whole(inProcess.perSecond)}/s; a signer of its own makes ${percent(perSecond, inProcess.perSecond)} of it`
  ]
})

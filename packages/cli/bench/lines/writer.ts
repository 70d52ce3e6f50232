import { migrate } from "@bursar/postgres"
import { Effect, Redacted } from "effect"
import { ingest } from "../deposits.ts"
import { derivations } from "../derive.ts"
import { digits, line, percent, whole } from "../line.ts"
import { settings } from "../settings.ts"
import { tpcb } from "../tpcb.ts"
import { openTenant, payments } from "../writer.ts"
import { type Lines, writerOn } from "./Lines.ts"

const callers = [16, 64, 256, 1_000]
const derived = ["ethereum", "bitcoin"] as const

/** The writer and what stands directly on it, beside TPC-B. */
export const writer: Lines = Effect.fnUntraced(function* (server) {
  const { seconds } = settings
  const url = Redacted.make(yield* server.ensureDatabase("bursar"))
  yield* migrate({ url })
  const { by, tps } = yield* tpcb(yield* server.ensureDatabase("tpcb"), seconds)
  return yield* Effect.gen(function* () {
    const hot = yield* openTenant("hot")
    yield* payments([hot], 64, 2)
    const busy = yield* Effect.forEach(callers, (count) =>
      Effect.map(
        payments([hot], count, seconds),
        ({ perSecond }) =>
          line`one hot float, ${String(count)} callers: ${whole(perSecond)} operations/s, ${digits(perSecond / tps, 1)} x TPC-B`
      )
    )
    const many = yield* Effect.all(Array.from({ length: 20 }, (_, index) => openTenant(`many-${index}`)))
    const spread = yield* payments(many, 256, seconds)
    const deposits = yield* ingest(yield* openTenant("deposits"), seconds)
    const addresses = yield* Effect.forEach(derived, (network) =>
      Effect.map(
        Effect.flatMap(openTenant(`derive-${network}`), (tenant) => derivations(tenant, network, seconds)),
        (found) => [
          line`bare derivation of ${network} addresses in a loop: ${whole(found.bare)}/s`,
          line`derived and registered on ${network}, 100 a request: ${whole(found.derived)}/s, ${percent(found.derived, found.bare)} of the loop`
        ]
      )
    )
    return [
      line`TPC-B, 16 clients, by ${by}: ${whole(tps)} transactions/s`,
      ...busy,
      line`20 tenants, 256 callers: ${whole(spread.perSecond)} operations/s, ${digits(spread.perSecond / tps, 1)} x TPC-B`,
      line`deposits, found in a block to credited: ${whole(deposits.perSecond)}/s`,
      ...addresses.flat()
    ]
  }).pipe(Effect.provide(writerOn(url)))
})

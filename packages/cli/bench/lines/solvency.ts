import { Effect } from "effect"
import { digits, line, whole } from "../line.ts"
import { settings } from "../settings.ts"
import { solvency as measure } from "../solvency.ts"
import type { Lines } from "./Lines.ts"

/** Trees of proofs of solvency. */
export const solvency: Lines = Effect.fnUntraced(function* (server) {
  const { few, many } = yield* measure(yield* server.ensureDatabase("solvency"), settings.leaves)
  const perSecond = ({ grownSeconds, leaves }: typeof few) => leaves / grownSeconds
  return [
    line`a proof of solvency of ${many.leaves} leaves: grown and stored at ${whole(perSecond(many))} leaves/s, ${digits(perSecond(few) / perSecond(many), 2)} x the time a leaf that ${few.leaves} take, grown again in ${digits(many.checkedSeconds, 1)} s; at most ${whole(many.peakMiB)} MiB of memory, ${digits(many.peakMiB / few.peakMiB, 2)} x that of ${few.leaves}`
  ]
})

import { Effect } from "effect"
import { digits, line, whole } from "../line.ts"
import { reconciliation as measure } from "../reconciliation.ts"
import { settings } from "../settings.ts"
import type { Lines } from "./Lines.ts"

/** Reconciliation of many legs. */
export const reconciliation: Lines = Effect.fnUntraced(function* (server) {
  const { few, many } = yield* measure(yield* server.ensureDatabase("reconciliation"), settings.reconciledLegs)
  return [
    line`books of ${many.legs} legs compared with a custodian in ${whole(many.comparedSeconds * 1_000)} ms, ${few.legs} in ${whole(few.comparedSeconds * 1_000)} ms; the oldest line that explains a break named in ${digits(many.namedSeconds, 2)} s, ${digits(many.namedSeconds / few.namedSeconds, 2)} x the time of ${few.legs}; at most ${whole(many.peakMiB)} MiB of memory, ${digits(many.peakMiB / few.peakMiB, 2)} x that of ${few.legs}`
  ]
})

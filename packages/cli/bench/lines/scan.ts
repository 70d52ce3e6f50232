import { Effect } from "effect"
import { digits, line, whole } from "../line.ts"
import { scan as measure } from "../scan.ts"
import { settings } from "../settings.ts"
import type { Lines } from "./Lines.ts"

/** Blocks read against few and many addresses. */
export const scan: Lines = Effect.fnUntraced(function* (server) {
  const { scanAddresses: addresses, scanBlocks: blocks } = settings
  const databases = { few: yield* server.ensureDatabase("few"), many: yield* server.ensureDatabase("many") }
  const { depositsFound, few, grewMiB, many } = yield* measure(databases, addresses, blocks)
  return [
    line`scan of ${blocks} blocks of 200 transfers, ${addresses / 10} addresses: ${whole(few)} blocks/s`,
    line`the same against ${addresses} addresses: ${whole(many)} blocks/s, ${digits(few / many, 2)} x the time; ${depositsFound} deposits found, the process grew by ${whole(grewMiB)} MiB`
  ]
})

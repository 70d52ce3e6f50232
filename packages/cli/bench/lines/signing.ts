import { migrate } from "@bursar/postgres"
import { Effect, Redacted } from "effect"
import { digits, line, percent, whole } from "../line.ts"
import { settings } from "../settings.ts"
import { signing as measure } from "../signing.ts"
import type { Lines } from "./Lines.ts"

/** The signer in this process beside the same one through its socket. */
export const signing: Lines = Effect.fnUntraced(function* (server) {
  const url = yield* server.ensureDatabase("signing")
  yield* migrate({ url: Redacted.make(url) })
  const { here, socket } = yield* measure(url, settings.signatures)
  return [
    line`signing in the process: p50 ${digits(here.medianMs, 1)} ms, ${whole(here.perSecond)}/s 16 at once, ${digits(here.processorMs, 2)} ms of processor each`,
    line`signing over the socket: p50 ${digits(socket.medianMs, 1)} ms, ${whole(socket.perSecond)}/s 16 at once, ${digits(socket.processorMs, 2)} ms of processor each, ${percent(socket.perSecond, here.perSecond)} of in-process`
  ]
})

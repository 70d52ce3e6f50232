import { Effect, Option } from "effect"
import { Egress } from "../egress/Egress.ts"
import type { Recording } from "./Recording.ts"

const limits = { connectTimeoutMs: 5_000, totalTimeoutMs: 15_000, keepAlive: false, responseBytesMax: 1_024 }

const post = (egress: Egress["Service"], url: string, body: string) =>
  egress
    .send({
      method: "POST",
      url,
      chosenBy: "operator",
      reach: { http: true, local: true },
      headers: { "content-type": "application/json" },
      body,
      ...limits
    })
    .pipe(
      Effect.map(({ status }) => (status >= 200 && status <= 299 ? undefined : `it answered ${status}`)),
      Effect.catch(({ detail }) => Effect.succeed(detail))
    )

/** What posts an alarm to the operators' own URL, and gives why that has not taken it; undefined where it has. Undefined itself where there is no such URL. */
export const alarmPost = Effect.fnUntraced(function* ({ limits: { alarmUrl: url } }: Recording) {
  const egress = yield* Effect.serviceOption(Egress)
  return url === null || Option.isNone(egress) ? undefined : (body: string) => post(egress.value, url, body)
})

/** Tells that the operators' URL has not taken an alarm, over something: it is posted again. */
export const alarmNotTold = (about: Readonly<Record<string, string>>, reason: string): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logError("reconciliation.alarm_not_told"), { ...about, reason })

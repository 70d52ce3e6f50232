import { Effect } from "effect"
import { insist } from "../service/ask.ts"
import type { Service } from "../service/service.ts"

/** Takes a proof of what is there and what is owed, and shows it to partners: from then on each may read its own part of it. */
export const publishSolvency = Effect.fn("fuzz.publishSolvency")(function* ({ handshake }: Service) {
  const snapshots = `${handshake.operator_url}/operator/v1/solvency/snapshots`
  const as = { token: handshake.operator_token, headers: { "x-operator": "ann" } }
  const { body } = yield* insist("POST", snapshots, { ...as, body: {} })
  yield* insist("POST", `${snapshots}/${body.snapshot.id}/publish`, as)
})

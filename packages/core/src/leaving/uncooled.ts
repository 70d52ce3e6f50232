import { Clock, Effect, Option } from "effect"
import { type Timestamp, toIso } from "../base/Timestamp.ts"
import { grantedDestination } from "../grant/GrantState.ts"
import type { Ruling } from "../grant/Ruling.ts"
import type { Operation } from "../operation/Operation.ts"
import type { Objection } from "../operation/waits.ts"
import { GrantWitness } from "../port/GrantWitness.ts"

/** What was said of the destination that receives: from when on it does, or why nobody says so. */
export interface Cooled {
  /** The hash of the grant that was asked about; undefined where there was none. */
  readonly hash: string | undefined
  readonly from: Timestamp | string
}

/**
 * Asks since when the grant of a withdrawal's destination is known: neither what it says itself nor a row can shorten its waiting time. Undefined where rows
 * decide, where the chains do not hold, and where there is nobody to ask.
 */
export const lookAtCooling = Effect.fn("leaving.lookAtCooling")(function* (
  { amount, kind, tenantId }: Pick<Operation, "amount" | "kind" | "tenantId">,
  ruling: Ruling
): Effect.fn.Return<Cooled | undefined> {
  if (kind !== "WITHDRAWAL" || ruling === undefined || "_tag" in ruling) return undefined
  const witness = yield* Effect.serviceOption(GrantWitness)
  if (Option.isNone(witness)) return undefined
  const now = yield* Clock.currentTimeMillis
  const found = grantedDestination(ruling.tenant, amount.currency, now)
  if (found === undefined) return { hash: undefined, from: "No destination was granted when it was looked at." }
  const { hash, values } = found
  const asked = witness.value.receivesFrom({ tenantId, id: values.id, hash })
  return { hash, from: yield* Effect.catch(asked, ({ message }) => Effect.succeed(message)) }
})

/** Why a withdrawal may not leave yet by what was said of its destination; undefined where it may, and where nobody was asked. */
export const uncooled = (
  { amount, kind }: Pick<Operation, "amount" | "kind">,
  { now, ruling, cooling }: { readonly now: Timestamp; readonly ruling: Ruling; readonly cooling: Cooled | undefined }
): Objection | undefined => {
  if (kind !== "WITHDRAWAL" || cooling === undefined || ruling === undefined || "_tag" in ruling) return undefined
  const found = grantedDestination(ruling.tenant, amount.currency, now)
  // that nothing is granted is said elsewhere
  if (found === undefined) return undefined
  const wait = (detail: string): Objection => ({ reason: "destination_not_usable", detail })
  const { from, hash } = cooling
  if (typeof from === "string" || hash !== found.hash)
    return wait(
      `It is not known since when the destination was granted. ${typeof from === "string" ? from : ""}`.trim()
    )
  return from > now
    ? wait(
        `The waiting time of the destination counts from when the signer saw its grant, and is over at ${toIso(from)}.`
      )
    : undefined
}

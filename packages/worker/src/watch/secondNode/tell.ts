import type { Transfer } from "@bursar/core/port/Chain"
import { toIso } from "@bursar/core/base/Timestamp"
import { Effect } from "effect"
import { countDisputed } from "../../nodes/nodeMetrics.ts"
import type { Claim, SecondNode } from "./SecondNode.ts"

const fieldsOf = ({ claimed, said, since }: Claim) => ({
  tenant: claimed.tenantId,
  height: claimed.blockNumber,
  block: claimed.blockHash,
  txHash: claimed.txHash,
  transferIndex: claimed.transferIndex,
  address: claimed.address,
  currency: claimed.currency,
  units: claimed.units.toString(),
  since: toIso(since),
  said: said.map(({ node, says }) => `${node}: ${says}`).join("; ")
})

/** Calls a person where nodes contradict each other, and says that one is waited for where they do not say enough. */
export const tellHeld = (claim: Claim): Effect.Effect<void> => {
  const { claimed, state } = claim
  return state === "disputed"
    ? Effect.logError("arrival.disputed").pipe(
        Effect.annotateLogs(fieldsOf(claim)),
        Effect.andThen(countDisputed(claimed.network, "arrival"))
      )
    : Effect.annotateLogs(Effect.logWarning("arrival.held"), fieldsOf(claim))
}

/** Says that what was held is not any more. */
export const tellAgreed = (claim: Claim): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logInfo("arrival.agreed"), fieldsOf(claim))

/** Calls a person: what was recorded of an arrival is not so, by the word of two operators. */
export const tellCorrected = (claim: Claim, truth: Transfer | null): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logError("arrival.corrected"), {
    ...fieldsOf(claim),
    truth:
      truth === null ? "no such transfer" : `${truth.units} of ${truth.contract ?? "the native asset"} to ${truth.to}`
  })

/** What of arrivals is held, as operators have been told. */
export interface HeldSummary {
  readonly waiting: number
  readonly disputed: number
  /** Since when the oldest is held; null where none is. */
  readonly since: number | null
}

/** What is held of arrivals. Those that operators refused are not counted. */
export const heldSummary = (secondNode: SecondNode | undefined): HeldSummary => {
  const held = [...(secondNode?.claims.values() ?? [])].filter(
    ({ told, verdict }) => verdict === "open" && told !== null
  )
  const disputed = held.filter(({ told }) => told === "disputed").length
  return {
    waiting: held.length - disputed,
    disputed,
    since: held.length === 0 ? null : Math.min(...held.map(({ since }) => since))
  }
}

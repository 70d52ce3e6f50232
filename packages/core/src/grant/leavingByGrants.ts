import { Option, Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { acceptedDestination } from "../destination/acceptedDestination.ts"
import type { Command } from "../engine/Command.ts"
import { isPut } from "../engine/Records.ts"
import { Operation } from "../operation/Operation.ts"
import type { OperationKind } from "../operation/OperationKind.ts"
import { providerPlaceOf } from "../operation/placeStops.ts"
import type { Tenant } from "../tenant/Tenant.ts"
import { directionOf } from "./direction.ts"
import type { VerifiedChains } from "./Grants.ts"
import { granted, grantedDestination, isStopped, isSuspended } from "./GrantState.ts"
import { readPolicyValues } from "./PolicyValues.ts"
import type { Ruling } from "./Ruling.ts"
import { environmentObjection } from "./environmentByGrants.ts"
import { chainsObjection, environmentUnsaid, leavingObjection } from "./signingByGrants.ts"

/** The kinds of operations that take money out, or turn it into another. */
const leaving: ReadonlySet<OperationKind> = new Set<OperationKind>([
  "WITHDRAWAL",
  "SWAP",
  "OFF_RAMP",
  "BANK_TRANSFER",
  "REFUND",
  "CHAIN_PAYOUT"
])

/** Why the tenant's row may not be gone by: it allows more than was granted. What is safer than the grants is an operator's to say. */
const standingObjection = (chains: VerifiedChains, tenant: Tenant): string | undefined => {
  const unusable = chainsObjection(chains)
  if (unusable !== undefined) return unusable
  if (isSuspended(chains.tenant)) return "the tenant is suspended by a grant"
  const agreed = granted(chains.tenant, "policy", "policy")
  if (agreed === undefined) return "no policy was granted to the tenant, so nothing may leave"
  if (agreed.values.environment === undefined) return environmentUnsaid
  const stored = readPolicyValues(tenant)
  if (Option.isNone(stored)) return "the settings of the tenant cannot be read: somebody else has written them"
  return directionOf("policy", agreed.values, stored.value) === "raises"
    ? "the settings of the tenant allow more than was granted"
    : undefined
}

const withdrawalObjection = (
  { fleet, tenant }: VerifiedChains,
  operation: Operation,
  now: Timestamp
): string | undefined => {
  const { amount, network } = operation
  if (network !== null && isStopped(fleet, network)) return `${network} is stopped by a grant`
  const expected = grantedDestination(tenant, amount.currency, now)?.values
  if (expected === undefined) return `no destination for ${amount.currency} is granted`
  const accepted = acceptedDestination(operation)
  return accepted?.address === expected.address && accepted.memo === expected.memo && network === expected.network
    ? undefined
    : `it goes to ${accepted?.address ?? "nowhere"}, granted for ${amount.currency} is ${expected.address}`
}

/** An operation with the tenant's row, as they stand when it is to leave. */
export interface LeavingOperation {
  readonly operation: Operation
  readonly tenant: Tenant
  readonly now: Timestamp
}

/** Why an operation may not leave by what is granted, whatever the rows say; undefined where it may, and where rows decide. */
export const ungranted = (ruling: Ruling, { now, operation, tenant }: LeavingOperation): string | undefined => {
  if (ruling === undefined) return undefined
  const foreign = environmentObjection(ruling, tenant)
  if (foreign !== undefined || !leaving.has(operation.kind)) return foreign
  if ("_tag" in ruling) return ruling.message
  const standing = standingObjection(ruling, tenant)
  if (standing !== undefined) return standing
  const place = providerPlaceOf(operation)
  if (place !== undefined && isStopped(ruling.fleet, place)) return `${place} is stopped by a grant`
  if (operation.kind === "WITHDRAWAL") return withdrawalObjection(ruling, operation, now)
  return operation.kind === "CHAIN_PAYOUT" && operation.network !== null
    ? leavingObjection(ruling, operation.network)
    : undefined
}

/** The refusal of what is not granted, with the reason for operators alone. */
export const notGranted = (reason: string): Refusal =>
  new Refusal({
    code: "not_granted",
    message: "What was agreed about your account does not hold here at the moment: ask the operators.",
    detail: { reason }
  })

/** A command none of whose operations may leave but by what is granted: it is refused as `not_granted`, with the reason for operators alone. */
export const underGrants = <A>(ruling: Ruling, command: Command<A>): Command<A> => ({
  ...command,
  decide: (view) =>
    Result.flatMap(command.decide(view), (decided) => {
      const operations = decided.changes.flatMap((change) => (isPut(Operation, change) ? [change.record] : []))
      const [reason] = operations.flatMap(
        (operation) => ungranted(ruling, { operation, tenant: view.tenant, now: view.now }) ?? []
      )
      return reason === undefined ? Result.succeed(decided) : Result.fail(notGranted(reason))
    })
})

import type { Tenant } from "../tenant/Tenant.ts"
import type { SigningKey } from "../signature/SigningKey.ts"
import { directionOf, saferPolicy } from "../grant/direction.ts"
import { subjectOf, type KindAndValues } from "../grant/GrantDocument.ts"
import { granted, type GrantState } from "../grant/GrantState.ts"
import { type PolicyValues, sayableValues } from "../grant/PolicyValues.ts"

/** What an operator has lowered without a grant. */
export type Lowered =
  | { readonly _tag: "Suspended"; readonly reason: string }
  | { readonly _tag: "Stopped"; readonly network: string; readonly reason: string }
  | { readonly _tag: "KeysRevoked"; readonly keys: ReadonlyArray<Pick<SigningKey, "apiKeyId" | "keyid">> }
  | { readonly _tag: "ApiKeyRevoked"; readonly id: string }
  | { readonly _tag: "DestinationRejected"; readonly id: string }
  | { readonly _tag: "PolicyLowered"; readonly tenant: Tenant }

/** A grant of these values where it lowers what a chain says, and nothing where it does not. */
const lowering = (state: GrantState, one: KindAndValues): ReadonlyArray<KindAndValues> => {
  const before = granted(state, one.kind, subjectOf(one))?.values
  // both values are of the same kind
  return directionOf(one.kind, before as never, one.values as never) === "lowers" ? [one] : []
}

/** Whether a document said the same of all that a lowering changes of its chain: what else a policy says may be another since. */
export const saidLowering = (state: GrantState, lowered: KindAndValues, said: KindAndValues): boolean => {
  if (lowered.kind !== said.kind || subjectOf(lowered) !== subjectOf(said)) return false
  const before = granted(state, "policy", "policy")?.values
  if (lowered.kind !== "policy" || said.kind !== "policy" || before === undefined)
    return directionOf(lowered.kind, lowered.values as never, said.values as never) === "changes_nothing" // of the same kind
  const { values } = lowered
  const names = Object.keys(values) as ReadonlyArray<keyof PolicyValues> // the keys of that very object
  const changed = names.filter(
    (name) => directionOf("policy", before, { ...before, [name]: values[name] }) !== "changes_nothing"
  )
  const then = { ...values, ...Object.fromEntries(changed.map((name) => [name, said.values[name]])) }
  return directionOf("policy", values, then) === "changes_nothing"
}

/** The grants by which a chain says what an operator has lowered already: nothing where it says so, or has never granted it. */
export const loweredGrants = (state: GrantState, lowered: Lowered): ReadonlyArray<KindAndValues> => {
  switch (lowered._tag) {
    case "Suspended":
      return lowering(state, { kind: "suspension", values: { suspended: true, reason: lowered.reason } })
    case "Stopped": {
      const { network, reason } = lowered
      return lowering(state, { kind: "network", values: { network, stopped: true, reason } })
    }
    case "KeysRevoked":
      return lowered.keys.flatMap(({ apiKeyId, keyid }) => {
        const found = granted(state, "signing_key", `${apiKeyId}|${keyid}`)
        return found === undefined
          ? []
          : lowering(state, { kind: "signing_key", values: { ...found.values, state: "REVOKED" } })
      })
    case "ApiKeyRevoked": {
      const found = granted(state, "api_key", lowered.id)
      return found === undefined
        ? []
        : lowering(state, { kind: "api_key", values: { ...found.values, state: "REVOKED" } })
    }
    case "DestinationRejected": {
      const found = granted(state, "destination", lowered.id)
      return found === undefined
        ? []
        : lowering(state, { kind: "destination", values: { ...found.values, state: "REVOKED" } })
    }
    case "PolicyLowered": {
      const found = granted(state, "policy", "policy")
      if (found === undefined) return []
      return lowering(state, {
        kind: "policy",
        values: saferPolicy(found.values, sayableValues(lowered.tenant, found.values))
      })
    }
  }
}

import { Result } from "effect"
import { ApiKey, type KeyFacts } from "../access/ApiKey.ts"
import { addApiKey, revokeApiKey, setTenantPolicy, setTenantStatus } from "../access/tenantCommands.ts"
import { IssuingAccount } from "../address/IssuingAccount.ts"
import { adjustFloat } from "../adjustment/adjustFloat.ts"
import { accountOfPlace } from "../adjustment/place.ts"
import { Refusal } from "../base/Refusal.ts"
import { grantDestination, rejectDestination } from "../destination/destinationCommands.ts"
import type { Command } from "../engine/Command.ts"
import { readGroup, readRecord } from "../engine/Records.ts"
import type { GrantEffect } from "../grant/grantCommands.ts"
import type { GrantDocument, GrantOf, GrantValues } from "../grant/GrantDocument.ts"
import { type JudgedGrant, policyOver } from "../grant/policyOver.ts"
import { policyOf, sayableValues } from "../grant/PolicyValues.ts"
import { of } from "../money/Amount.ts"
import type { Tenant } from "../tenant/Tenant.ts"
import { isGrantedKey, keyOfValues } from "../grant/keysByGrants.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { saysReview } from "../grant/reviewByGrants.ts"
import { Operation } from "../operation/Operation.ts"
import { Payout } from "../payout/Payout.ts"
import { standingReads } from "../payout/standingEvidence.ts"
import { switchNetwork } from "../payout/switchNetwork.ts"
import { reviewOperation } from "../review/reviewOperation.ts"
import { addSigningKey, revokeSigningKey } from "../signature/signingKeyCommands.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"

/** What stands for a grant where records name who decided. */
export const grantName = ({ number }: Pick<GrantDocument, "number">): string => `grant:${number}`

/** What grants are carried out with. */
export interface GrantMeans {
  readonly currencies: CurrencyTable
  /** The service's keyed hash over what an API key may do, which its row has. */
  readonly sealKey: (key: KeyFacts) => string
}

const nothing = { changes: [], reply: undefined }

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

/** A command that changes what it can: what a grant revokes or stops counts by its chain, whatever became of the records. */
const asFarAsPossible = (command: Command<unknown>): Command<unknown> => ({
  ...command,
  decide: (view) => {
    const decided = command.decide(view)
    return Result.isSuccess(decided) ? decided : Result.succeed(nothing)
  }
})

const ofDestination = (document: GrantOf<"destination">): Command<unknown> => {
  const { state, usable_from: usableFrom, ...named } = document.values
  const grantedBy = grantName(document)
  return state === "ACTIVE"
    ? grantDestination({
        ...named,
        by: document.proposed_by,
        grantedBy,
        proposedAt: Date.parse(document.proposed_at),
        usableFrom: Date.parse(usableFrom)
      })
    : asFarAsPossible(rejectDestination(named.id, `Revoked by ${grantedBy}.`))
}

/** The row of a key is written by its grant. One that was there before grants is what the grant says, or is not granted. */
const ofApiKey = ({ values }: GrantOf<"api_key">, { sealKey }: GrantMeans): Command<unknown> => {
  const { environment, id, state } = values
  if (state === "REVOKED") return asFarAsPossible(revokeApiKey(id))
  return {
    name: "GrantApiKey",
    reads: [readRecord(ApiKey, id)],
    decide: (view) => {
      const { id: tenantId, kind } = view.tenant
      if (environment !== kind) return conflict(`The key is for ${environment}, and the tenant is ${kind}.`)
      const found = view.get(ApiKey, id)
      if (found?.revokedAt === null && isGrantedKey(values, { key: found, tenant: view.tenant }))
        return Result.succeed(nothing)
      const key = keyOfValues(values)
      return addApiKey({ ...key, seal: sealKey({ ...key, tenantId, kind }) }).decide(view)
    }
  }
}

const ofSigningKey = ({ values }: GrantOf<"signing_key">): Command<unknown> => {
  const { api_key_id: apiKeyId, keyid, public_key: publicKey, state } = values
  return state === "ACTIVE"
    ? addSigningKey({ apiKeyId, keyid, publicKey })
    : asFarAsPossible(revokeSigningKey(keyid, apiKeyId))
}

const wrongEnvironment = ({ environment }: GrantValues<"policy">, { kind }: Tenant): string | undefined =>
  environment === kind ? undefined : `The policy is for ${environment ?? "no environment"}, and the tenant is ${kind}.`

const ofPolicy = ({ values }: GrantOf<"policy">, judged: JudgedGrant): Command<unknown> => ({
  name: "GrantPolicy",
  reads: [],
  decide: (view) => {
    const wrong = wrongEnvironment(values, view.tenant)
    if (wrong !== undefined) return conflict(wrong)
    // what the row says in another form is mended by what is granted
    return setTenantPolicy(policyOf(policyOver(sayableValues(view.tenant, values), values, judged))).decide(view)
  }
})

const ofSuspension = ({ values: { suspended } }: GrantOf<"suspension">): Command<unknown> =>
  suspended
    ? asFarAsPossible(setTenantStatus("SUSPENDED"))
    : {
        name: "EndSuspension",
        reads: [],
        // one that was never activated, or is closed, does not become active by this
        decide: (view) =>
          view.tenant.status === "SUSPENDED" ? setTenantStatus("ACTIVE").decide(view) : Result.succeed(nothing)
      }

/** A wallet's key is made before its address is known: the grant lets it be used. */
const ofPayoutWallet = ({ values }: GrantOf<"payout_wallet">): GrantEffect => {
  const { address, network, role, state } = values
  if (state === "REVOKED") return undefined
  return {
    name: "GrantPayoutWallet",
    reads: [readGroup(PayoutWallet, network)],
    decide: (view) =>
      view.group(PayoutWallet, network).some((one) => one.address === address && one.role === role)
        ? Result.succeed(nothing)
        : conflict(`The tenant has no ${role} wallet ${address} on ${network}: make it first.`)
  }
}

/** The account is entered with the first address that is issued from it. */
const ofIssuingAccount = ({ values }: GrantOf<"issuing_account">): GrantEffect => {
  const { account_key: accountKey, family, seed_id: seedId, state } = values
  if (state === "REVOKED") return undefined
  return {
    name: "GrantIssuingAccount",
    reads: [readRecord(IssuingAccount, family)],
    decide: (view) => {
      const found = view.get(IssuingAccount, family)
      return found === undefined || (found.seedId === seedId && found.accountKey === accountKey)
        ? Result.succeed(nothing)
        : conflict(`Addresses of the family ${family} are issued from another account.`)
    }
  }
}

const refused = (name: string, message: string): Command<unknown> => ({
  name,
  reads: [],
  decide: () => conflict(message)
})

const ofAdjustment = (document: GrantOf<"adjustment">, currencies: CurrencyTable): Command<unknown> => {
  const { against: place, assigns, corrects, currency: code, from: fromPlace, id, reason, units } = document.values
  const currency = currencies.byCode(code)
  if (currency === undefined) return refused("AdjustFloat", `${code} is not known.`)
  const against = accountOfPlace(place, currency)
  const from = fromPlace === undefined ? null : accountOfPlace(fromPlace, currency)
  if (against === undefined || from === undefined)
    return refused("AdjustFloat", `${against === undefined ? place : fromPlace} is no place of ${code}.`)
  const by = { made: document.proposed_by, approved: grantName(document) }
  const amount = of(BigInt(units), code)
  const named = { assigns: assigns ?? null, corrects: corrects ?? null }
  return adjustFloat({ amount, against, ...named, from, proposal: id, reason, by }, currencies)
}

/**
 * What people approve is the operation as its row stands at that moment, and stays the operation that may leave: the reads of an approval follow from
 * the values, for nothing else is looked at.
 */
const ofReview = (
  document: GrantOf<"review">,
  { currencies }: GrantMeans,
  given: ReadonlyArray<string>
): Command<unknown> => {
  const { network, operation_id: id, product } = document.values
  return {
    name: "GrantReview",
    reads: [
      readRecord(Operation, id),
      ...(product === "CHAIN_PAYOUT" ? [readRecord(Payout, id)] : []),
      ...(product === "CHAIN_PAYOUT" && network !== null ? standingReads(network, id, given) : [])
    ],
    decide: (view) => {
      const operation = view.get(Operation, id)
      if (operation === undefined) return conflict(`There is no operation ${id}.`)
      if (!saysReview(document.values, operation)) return conflict("The operation is not what the grant says.")
      const by = grantName(document)
      return reviewOperation({ operation, verdict: "APPROVE", given, by, reason: null, currencies }).decide(view)
    }
  }
}

/**
 * What a grant changes of the records, by the very rules by which operators change them where there are no grants: it becomes part of the
 * commit that appends the grant. Undefined where the chain alone says it. `given` are the transactions that were given as evidence for the payout that a
 * review lets leave, as they were read (`hashesGiven`).
 */
export const grantEffect = (
  document: GrantDocument,
  judged: JudgedGrant,
  means: GrantMeans,
  given: ReadonlyArray<string> = []
): GrantEffect => {
  switch (document.kind) {
    case "approvers":
    case "adoption":
    case "currency_limit":
      return undefined
    case "network": {
      const { network, reason, stopped } = document.values
      return switchNetwork(network, stopped ? reason : null, grantName(document))
    }
    case "api_key":
      return ofApiKey(document, means)
    case "signing_key":
      return ofSigningKey(document)
    case "destination":
      return ofDestination(document)
    case "policy":
      return ofPolicy(document, judged)
    case "payout_wallet":
      return ofPayoutWallet(document)
    case "issuing_account":
      return ofIssuingAccount(document)
    case "suspension":
      return ofSuspension(document)
    case "adjustment":
      return ofAdjustment(document, means.currencies)
    case "review":
      return ofReview(document, means, given)
  }
}

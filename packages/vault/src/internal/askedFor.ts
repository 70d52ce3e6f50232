import { clockSkewSecondsMax } from "@bursar/api/signature/SignatureProfile"
import { readSignatureBase, verifyEvidence } from "@bursar/api/signature/verifyEvidence"
import { CreateChainPayout } from "@bursar/api/wire/ChainPayout"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type PayoutOrder, readPayoutOrder } from "@bursar/core/payout/PayoutOrder"
import type { Networks } from "@bursar/core/port/Networks"
import type { SigningRequest } from "@bursar/core/port/TransactionSigner"
import type { SigningKey } from "@bursar/core/signature/SigningKey"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Effect, Option, Result, Schema } from "effect"

/** What a signed request for a chain payout is read with. */
export interface Reading {
  readonly tenant: Tenant
  /** Those of the tenant, revoked or not. */
  readonly signingKeys: ReadonlyArray<SigningKey>
  readonly currencies: CurrencyTable
  readonly networks: Networks["Service"]
  /** Whether a request that was signed for this authority was signed for this service. */
  readonly isOurs: (authority: string) => boolean
}

/**
 * The binding of a key that a request of a moment was signed under. One that came later never counts: a key that was revoked and is bound
 * again, to another API key, would bring back what was signed before.
 */
const bindingOf = (
  signingKeys: ReadonlyArray<SigningKey>,
  { approvedAt = 0, keyid }: SigningRequest,
  created: number
) => {
  const bound = signingKeys.filter(
    (key) => key.keyid === keyid && key.createdAt <= (created + clockSkewSecondsMax) * 1_000
  )
  return (
    bound.find(({ revokedAt }) => revokedAt === null) ??
    bound.find(({ revokedAt }) => revokedAt !== null && approvedAt > revokedAt)
  )
}

const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(CreateChainPayout))

/**
 * What a request asks for, where it is a request for a chain payout that a registered key of the tenant has signed; else says in
 * words why it counts for nothing. A key that was revoked since authorises nothing any more, but what
 * it had signed before and an operator has approved since: that operator answers for the key, and never for the signature. A request to
 * another service, such as one of a sandbox, counts for nothing here.
 */
export const askedFor = Effect.fnUntraced(function* (
  evidence: SigningRequest,
  { currencies, isOurs, networks, signingKeys, tenant }: Reading
): Effect.fn.Return<Result.Result<PayoutOrder, string>> {
  const claimed = readSignatureBase(evidence.signatureBase)
  if (claimed === undefined) return Result.fail("the request's signature does not verify")
  const key = bindingOf(signingKeys, evidence, claimed.created)
  if (key === undefined) return Result.fail(`the tenant has no active signing key ${evidence.keyid}`)
  const proven = yield* Effect.orElseSucceed(verifyEvidence(evidence, { x: key.publicKey }), () => undefined)
  if (proven === undefined) return Result.fail("the request's signature does not verify")
  const { body, components, created } = proven
  if (key.revokedAt !== null && (created - clockSkewSecondsMax) * 1_000 > key.revokedAt)
    return Result.fail("the request was signed after its key had been revoked")
  if (!isOurs(components["@authority"])) {
    return Result.fail(`the request was signed for ${components["@authority"]}, which is another service`)
  }
  if (components["@method"] !== "POST" || components["@path"] !== "/v1/chain-payouts") {
    return Result.fail(`the signed request is ${components["@method"]} ${components["@path"]}`)
  }
  const request = decodeBody(new TextDecoder().decode(body))
  if (Option.isNone(request)) return Result.fail("the signed body is no request for a chain payout")
  const { amount, destination, network, tenant: guard } = request.value
  if (guard !== undefined && guard !== null && guard !== tenant.id && guard !== tenant.slug) {
    return Result.fail("the signed request is meant for another tenant")
  }
  const order = readPayoutOrder(
    { amount, network, destination: { address: destination.address, memo: destination.memo ?? null } },
    currencies,
    networks
  )
  return Result.mapError(order, ({ message }) => message)
})

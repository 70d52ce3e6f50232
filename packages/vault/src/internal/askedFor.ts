import { verifyEvidence } from "@bursar/api/signature/verifyEvidence"
import { CreateChainPayout } from "@bursar/api/wire/ChainPayout"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type PayoutOrder, readPayoutOrder } from "@bursar/core/payout/PayoutOrder"
import type { AddressFormats } from "@bursar/core/port/AddressFormats"
import type { SignatureEvidence } from "@bursar/core/signature/SignatureEvidence"
import type { SigningKey } from "@bursar/core/signature/SigningKey"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Effect, Option, Result, Schema } from "effect"

/** What a signed request for a chain payout is read with. */
export interface Reading {
  readonly tenant: Tenant
  /** Those of the tenant, revoked or not. */
  readonly signingKeys: ReadonlyArray<SigningKey>
  readonly currencies: CurrencyTable
  readonly formats: AddressFormats["Service"]
}

const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(CreateChainPayout))

/**
 * What a request asks for, where it is a request for a chain payout that a registered key of the tenant has signed; else says in
 * words why it counts for nothing. A key that was revoked since authorises nothing any more.
 */
export const askedFor = Effect.fnUntraced(function* (
  evidence: SignatureEvidence,
  { currencies, formats, signingKeys, tenant }: Reading
): Effect.fn.Return<Result.Result<PayoutOrder, string>> {
  const key = signingKeys.find(({ keyid, revokedAt }) => keyid === evidence.keyid && revokedAt === null)
  if (key === undefined) return Result.fail(`the tenant has no active signing key ${evidence.keyid}`)
  const proven = yield* Effect.orElseSucceed(verifyEvidence(evidence, { x: key.publicKey }), () => undefined)
  if (proven === undefined) return Result.fail("the request's signature does not verify")
  const { components, body } = proven
  if (components["@method"] !== "POST" || components["@path"] !== "/v1/chain-payouts") {
    return Result.fail(`the signed request is ${components["@method"]} ${components["@path"]}`)
  }
  const wish = decodeBody(new TextDecoder().decode(body))
  if (Option.isNone(wish)) return Result.fail("the signed body is no request for a chain payout")
  const { amount, destination, network, tenant: guard } = wish.value
  if (guard !== undefined && guard !== null && guard !== tenant.id && guard !== tenant.slug) {
    return Result.fail("the signed request is meant for another tenant")
  }
  const order = readPayoutOrder(
    { amount, network, destination: { address: destination.address, memo: destination.memo ?? null } },
    currencies,
    formats
  )
  return Result.mapError(order, ({ message }) => message)
})

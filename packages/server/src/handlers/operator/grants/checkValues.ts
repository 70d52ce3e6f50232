import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { importPublicKey, thumbprint } from "@bursar/api/signature/Ed25519"
import { isScope } from "@bursar/api/scopes/Scopes"
import { parseShown } from "@bursar/core/access/KeyFormat"
import { assetObjection } from "@bursar/core/destination/assetObjection"
import { isProviderPlace } from "@bursar/core/operation/placeStops"
import type { KindAndValues } from "@bursar/core/grant/GrantDocument"
import type { Canonical } from "@bursar/core/grant/canonical"
import type { ApproverSet } from "@bursar/core/grant/ApproverSet"
import { hiddenSign } from "@bursar/core/grant/fields"
import type { PolicyValues } from "@bursar/core/grant/PolicyValues"
import { strangeQuorum } from "@bursar/core/grant/GrantRoot"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { readMemo } from "@bursar/core/payout/readMemo"
import { adapterOf, type Networks, parseAddress } from "@bursar/core/port/Networks"
import { coolingHoursMax } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { parseRange } from "../../../http/clientAddress.ts"
import { invalidField } from "../found.ts"
import type { IsPlace } from "../providerPlaces.ts"

/** What values are checked by. */
interface Known {
  readonly currencies: CurrencyTable
  readonly networks: Networks["Service"]
  /** Those of custodians and banks. */
  readonly isPlace: IsPlace
}

const known = (field: string, is: boolean): Effect.Effect<void, ApiError> =>
  is ? Effect.void : Effect.fail(invalidField(field, "It is not known here."))

const destination = Effect.fnUntraced(function* (
  { currencies, networks }: Known,
  { address, currency, memo, network }: Extract<KindAndValues, { readonly kind: "destination" }>["values"]
) {
  const { asset = null } = currencies.byCode(currency) ?? {}
  if (asset === null) return yield* apiError("unsupported_asset")
  if (asset.network !== network) return yield* invalidField("values.network", `${currency} is on ${asset.network}.`)
  const canonical = parseAddress(networks, network, address)
  if (Result.isFailure(canonical)) return yield* invalidField("values.address", canonical.failure)
  if (canonical.success !== address) return yield* invalidField("values.address", `Write it ${canonical.success}.`)
  const adapter = adapterOf(networks, network)
  const lost = assetObjection(adapter, currencies, address)
  if (lost !== undefined) return yield* invalidField("values.address", lost)
  const read = readMemo(adapter, address, memo)
  if (Result.isFailure(read)) return yield* invalidField("values.memo", read.failure.message)
})

/** The public key of a partner must be one, and be called by its thumbprint. */
const signingKey = Effect.fnUntraced(function* ({
  keyid,
  public_key: x
}: Extract<KindAndValues, { readonly kind: "signing_key" }>["values"]) {
  const jwk = { kty: "OKP", crv: "Ed25519", x } as const
  yield* Effect.mapError(importPublicKey(jwk), ({ message }) => invalidField("values.public_key", message))
  const expected = yield* thumbprint(jwk)
  if (keyid !== expected) return yield* invalidField("values.keyid", `The thumbprint of the key is ${expected}.`)
})

/** A key is called by what is shown of it, and may do what there is. Its environment is compared with the tenant's where the key is made. */
const apiKey = Effect.fnUntraced(function* ({
  environment,
  id,
  prefix,
  scopes
}: Extract<KindAndValues, { readonly kind: "api_key" }>["values"]) {
  const parts = parseShown(prefix)
  const isItsOwn = parts?.id === id && parts.environment === (environment === "LIVE" ? "live" : "test")
  yield* known("values.prefix", isItsOwn)
  yield* known("values.scopes", scopes.length > 0 && scopes.every(isScope))
})

/** Refuses a text for approvers in which there is something that they cannot see. */
export const checkReadable = (field: string, value: Canonical): Effect.Effect<void, ApiError> => {
  const sign = hiddenSign(value)
  return sign === undefined
    ? Effect.void
    : Effect.fail(invalidField(field, `A text holds ${sign}, which nobody sees or tells from a space.`))
}

/**
 * What a set of approvers says that the one before does not. What stands was agreed on, and is not looked at again: written otherwise, it would take the
 * full quorum to take a stolen key away, which one person must be able to do at once.
 */
const newIn = ({ approvers, quorums }: ApproverSet, before: ApproverSet | undefined) => ({
  names: approvers.flatMap(({ id, name }) =>
    before?.approvers.some((one) => one.id === id && one.name === name) === true ? [] : name
  ),
  quorums: Object.fromEntries(Object.entries(quorums).filter(([kind, people]) => before?.quorums[kind] !== people))
})

/** What stands that values would replace, where there is anything. */
export interface Standing {
  readonly approvers?: ApproverSet | undefined
  readonly policy?: PolicyValues | undefined
}

/** Between which numbers a policy's are, as where an operator sets them. */
const bounds = [
  ["ceiling_per_minute", 1, 1_000_000],
  ["destination_cooling_hours", 0, coolingHoursMax],
  ["slippage_bps", 0, 10_000]
] as const

/** A number that stands is not looked at again: one person must be able to lower the rest at once. */
const inBounds = (values: PolicyValues, before: PolicyValues | undefined): Effect.Effect<void, ApiError> => {
  const wrong = bounds.find(([name, least, most]) => {
    const text = values[name]
    return text !== null && text !== before?.[name] && (Number(text) < least || Number(text) > most)
  })
  if (wrong === undefined) return Effect.void
  const [name, least, most] = wrong
  return Effect.fail(invalidField(`values.${name}`, `Expected a number between ${least} and ${most}.`))
}

/** Refuses values that read well and mean nothing here: an address of another network, a key under another's name, a network nobody knows. */
export const checkValues = (
  here: Known,
  content: KindAndValues,
  before: Standing = {}
): Effect.Effect<void, ApiError> => {
  // whatever was granted can be revoked
  if ("state" in content.values && content.values.state === "REVOKED") return Effect.void
  // a review says what the operation says, in the words of a partner or a bank: it is shown with all that is unseen, and could not leave otherwise
  if (content.kind === "review") return checkMeaning(here, content, before)
  if (content.kind === "approvers") {
    const { names, quorums } = newIn(content.values, before.approvers)
    return Effect.andThen(
      checkReadable("values", names),
      known("values.quorums", strangeQuorum({ quorums }) === undefined)
    )
  }
  return Effect.andThen(checkReadable("values", content.values), checkMeaning(here, content, before))
}

const checkMeaning = (
  here: Known,
  content: Exclude<KindAndValues, { readonly kind: "approvers" }>,
  before: Standing
): Effect.Effect<void, ApiError> => {
  const { networks } = here.currencies
  switch (content.kind) {
    case "destination":
      return destination(here, content.values)
    case "api_key":
      return apiKey(content.values)
    case "signing_key":
      return signingKey(content.values)
    case "network": {
      const { network: name, stopped } = content.values
      // a stop of a name of no place would stop nothing, and whoever gave it would believe that it did; what was stopped before can be resumed
      if (networks.has(name)) return Effect.void
      const isPlace = stopped ? here.isPlace(name) : Effect.succeed(isProviderPlace(name))
      return Effect.flatMap(isPlace, (is) => known("values.network", is))
    }
    case "issuing_account":
      return known(
        "values.family",
        networks.all.some(({ family }) => family === content.values.family)
      )
    case "policy": {
      const { ip_allowlist: ranges, payout_minimums: minimums, payouts_off_on: off } = content.values
      return Effect.all(
        [
          known("values.payouts_off_on", off.every(networks.has)),
          known(
            "values.payout_minimums",
            Object.keys(minimums).every((code) => here.currencies.byCode(code) !== undefined)
          ),
          known("values.ip_allowlist", ranges?.every((range) => parseRange(range) !== undefined) ?? true),
          inBounds(content.values, before.policy)
        ],
        { discard: true }
      )
    }
    case "currency_limit": {
      const { currency, per_day: day, per_hour: hour, per_payment: payment } = content.values
      // the signer counts what leaves on a chain; a limit that was lifted may be of what is no longer there
      const isLifted = [payment, hour, day].every((units) => units === null)
      return known("values.currency", isLifted || here.currencies.byCode(currency)?.asset != null)
    }
    case "payout_wallet":
    case "suspension":
    case "adjustment":
    case "adoption":
    case "review":
      return Effect.void
  }
}

import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import type { Json } from "@bursar/core/base/Json"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { rulingOf } from "@bursar/core/grant/Ruling"
import { notGranted } from "@bursar/core/grant/leavingByGrants"
import type { ShownAddress } from "@bursar/core/granting/addressProblem"
import type { Replaceable } from "@bursar/core/address/registerAddresses"
import type { Xpub } from "@bursar/core/address/Xpub"
import { AddressForged, type NamedAddress, ShownAddresses } from "@bursar/core/granting/ShownAddresses"
import { issuingObjection } from "@bursar/core/granting/issuingByGrants"
import type { NetworkTraits } from "@bursar/core/money/Network"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Schema } from "effect"
import { orUnavailable, refusalError } from "../../refusals.ts"

/** The answer in the place of addresses one of which is forged: it shows none of them. */
const unverified = (): ApiError =>
  apiError("provider_unavailable", {
    message: "The service cannot verify your deposit addresses at the moment. Pay to none that you are not sure of."
  })

const answering = (verified: Effect.Effect<void, AddressForged | StorageError>): Effect.Effect<void, ApiError> =>
  verified.pipe(
    Effect.as(true),
    Effect.catchTag("AddressForged", () => Effect.succeed(false)),
    orUnavailable,
    Effect.flatMap((isVerified) => (isVerified ? Effect.void : Effect.fail(unverified())))
  )

/** What an answer says of addresses of an account. */
const AccountAddresses = Schema.Struct({
  addresses: Schema.Array(
    Schema.Struct({
      network: Schema.String,
      address: Schema.String,
      xpub_id: Schema.NullOr(Schema.String),
      seed_id: Schema.NullOr(Schema.String),
      derivation_index: Schema.NullOr(Schema.Int)
    })
  )
})

const readAccountAddresses = Schema.decodeUnknownEffect(AccountAddresses)

/** What an answer says of an address that a request has named. */
const Named = Schema.Struct({ network: Schema.String, address: Schema.String })

const readNamedAddress = Schema.decodeUnknownEffect(Named)

const NamedAddresses = Schema.Struct({ results: Schema.Array(Schema.Struct({ address: Schema.NullOr(Named) })) })

const readNamedAddresses = Schema.decodeUnknownEffect(NamedAddresses)

const sameAs = (one: NamedAddress) => (other: NamedAddress | undefined) =>
  one.address === other?.address && one.network === other.network

/** Looks at addresses before a partner is shown them, as records or as an answer that is told again. What does not verify is answered for. */
export const showing = Effect.map(ShownAddresses, ({ alarm, replaceable, verify, verifyNamed, verifyXpubs }) => {
  const unreadable = (tenantId: TenantId) =>
    Effect.andThen(
      alarm(tenantId, new AddressForged({ network: "", address: "", reason: "the stored answer reads as none" })),
      Effect.fail(unverified())
    )

  const records = (tenantId: string, shown: ReadonlyArray<ShownAddress>): Effect.Effect<void, ApiError> =>
    answering(verify(TenantId(tenantId), shown))

  const named = (tenantId: string, shown: ReadonlyArray<NamedAddress>): Effect.Effect<void, ApiError> =>
    answering(verifyNamed(TenantId(tenantId), shown))

  const xpubs = (tenantId: string, shown: ReadonlyArray<Xpub>): Effect.Effect<void, ApiError> =>
    answering(verifyXpubs(TenantId(tenantId), shown))

  /** The requests that count for nothing among those by which the tenant has registered some addresses. */
  const replaceableOf = (
    tenantId: string,
    addresses: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<Replaceable>, ApiError> => orUnavailable(replaceable(TenantId(tenantId), addresses))

  /** An answer of an endpoint whose addresses all follow from an account, whatever the answer says of their origin. */
  const ofAccount = (tenantId: string, origin: "ISSUED" | "DERIVED") => (body: Json) =>
    readAccountAddresses(body).pipe(
      Effect.catchTag("SchemaError", () => unreadable(TenantId(tenantId))),
      Effect.flatMap(({ addresses }) =>
        records(
          tenantId,
          addresses.map(({ address, derivation_index: derivationIndex, network, seed_id, xpub_id }) => ({
            address,
            network,
            origin,
            registrations: [],
            derivationIndex,
            seedId: seed_id,
            xpubId: xpub_id
          }))
        )
      )
    )

  const forgedAnswer = (tenantId: TenantId, { address, network }: NamedAddress) =>
    Effect.andThen(
      alarm(tenantId, new AddressForged({ network, address, reason: "it is not the address of the request" })),
      Effect.fail(unverified())
    )

  /** An answer of the endpoint that registers: it names the addresses of the request, and no others. */
  const ofRequest = (tenantId: string, asked: ReadonlyArray<NamedAddress | undefined>) => (body: Json) =>
    readNamedAddresses(body).pipe(
      Effect.catchTag("SchemaError", () => unreadable(TenantId(tenantId))),
      Effect.flatMap(({ results }) => {
        const other = results.find(({ address }, index) => address !== null && !sameAs(address)(asked[index]))?.address
        return other == null ? Effect.void : forgedAnswer(TenantId(tenantId), other)
      })
    )

  /** An answer of the endpoint that registers a key: it names the key of the request. */
  const ofXpub = (tenantId: string, { network, xpub }: { readonly network: string; readonly xpub: string }) => {
    const isThat = Schema.is(Schema.Struct({ network: Schema.Literal(network), xpub: Schema.Literal(xpub) }))
    return (body: Json) => (isThat(body) ? Effect.void : forgedAnswer(TenantId(tenantId), { network, address: xpub }))
  }

  /** An answer of the endpoint that takes over a key: it names the address of the request. */
  const ofKey = (tenantId: string, asked: NamedAddress | undefined) => (body: Json) =>
    readNamedAddress(body).pipe(
      Effect.catchTag("SchemaError", () => unreadable(TenantId(tenantId))),
      Effect.flatMap((one) => (sameAs(one)(asked) ? Effect.void : forgedAnswer(TenantId(tenantId), one)))
    )

  /** Refuses to issue from an account that is not the one that is granted. */
  const issuing = Effect.fnUntraced(function* (
    tenantId: TenantId,
    { family, name: network }: NetworkTraits,
    account: Pick<IssuingAccount, "accountKey" | "seedId">
  ) {
    const found = issuingObjection(yield* orUnavailable(rulingOf(tenantId)), family, account)
    if (found === undefined) return
    const { _tag, reason } = found
    if (_tag === "NotGranted") return yield* refusalError(notGranted(reason))
    yield* alarm(tenantId, new AddressForged({ network, address: account.accountKey, reason }))
    return yield* unverified()
  })

  return { records, named, xpubs, replaceable: replaceableOf, ofAccount, ofRequest, ofXpub, ofKey, issuing }
})

import { Limits } from "@bursar/api/Limits"
import { makeIsOurs } from "@bursar/api/signature/isOurs"
import { readSignatureBase } from "@bursar/api/signature/verifyEvidence"
import { RegisterAddresses } from "@bursar/api/wire/AddressRegistration"
import { XpubIn } from "@bursar/api/wire/Xpub"
import { type Registered, SignedRegistrations } from "@bursar/core/port/SignedRegistrations"
import type { SigningKey } from "@bursar/core/signature/SigningKey"
import { Effect, Layer, Option, Result, Schema } from "effect"
import { provenRequest } from "./internal/provenRequest.ts"

/** By what signed registrations are read. */
export interface SignedRegistrationsOptions {
  /** The authorities under which partners reach the service, and have reached it; none: this machine alone. */
  readonly publicAuthorities: ReadonlyArray<string>
}

const xpubPath = "/v1/deposit-xpubs"
const addressesPath = "/v1/deposit-addresses"

const readXpub = Schema.decodeUnknownOption(Schema.fromJsonString(XpubIn))
const readAddresses = Schema.decodeUnknownOption(Schema.fromJsonString(RegisterAddresses))

/** Whether an item of a batch is of a length that can have been registered. Any other would only be remembered. */
const isNamed = ({ address, network }: RegisterAddresses["addresses"][number]): boolean =>
  address.length <= Limits.addressLengthMax && network.length <= Limits.networkLengthMax

const registeredIn = (path: string, body: string): Option.Option<Registered> =>
  path === xpubPath
    ? Option.map(readXpub(body), ({ network, xpub }) => ({ _tag: "Xpub", network, xpub }))
    : Option.map(readAddresses(body), ({ addresses }) => ({
        _tag: "Addresses",
        addresses: addresses.filter(isNamed).map(({ address, network }) => ({ address, network }))
      }))

/**
 * The keys that a request of a moment may be signed with. Registrations hold for years: one that was made before its key was revoked goes on
 * to count, for keys are changed as a matter of routine.
 */
const keysAt = (signingKeys: ReadonlyArray<SigningKey>, created: number): ReadonlyArray<SigningKey> =>
  signingKeys.flatMap((key) =>
    key.revokedAt === null || created * 1_000 <= key.revokedAt ? { ...key, createdAt: 0, revokedAt: null } : []
  )

/** Verifies the signed requests by which partners have registered something, by the contract's own profile and schemas. */
export const layer = ({ publicAuthorities }: SignedRegistrationsOptions): Layer.Layer<SignedRegistrations> => {
  const isOurs = makeIsOurs(publicAuthorities)
  return Layer.succeed(
    SignedRegistrations,
    SignedRegistrations.of({
      read: Effect.fn("SignedRegistrations.read")(function* ({ evidence, signingKeys: all }) {
        const claimed = readSignatureBase(evidence.signatureBase)
        if (claimed === undefined) return Result.fail("the request's signature does not verify")
        const signingKeys = keysAt(all, claimed.created)
        const path = claimed.components["@path"] === xpubPath ? xpubPath : addressesPath
        const proven = yield* provenRequest(evidence, { signingKeys, isOurs }, path)
        if (Result.isFailure(proven)) return Result.fail(proven.failure)
        // addresses are ASCII: what else of a body could not be read changes none of them
        const read = registeredIn(path, new TextDecoder().decode(proven.success.body))
        return Result.fromOption(read, () => "the signed body registers nothing")
      })
    })
  )
}

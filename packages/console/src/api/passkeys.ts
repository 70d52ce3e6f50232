import type { OperatorApprovers, OperatorGrantProposal } from "@bursar/api/operator/OperatorGrant"
import {
  base64URLStringToBuffer,
  bufferToBase64URLString,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService
} from "@simplewebauthn/browser"
import { Effect } from "effect"
import { Untouched } from "./Untouched.ts"

type Approvers = typeof OperatorApprovers.Type

/** How long a person may take to confirm on the device, in milliseconds. */
const confirmMs = 120_000

/** The only algorithm of passkeys that grants take: ES256, as COSE names it. */
const es256 = -7

/** What stands before a document when it is hashed, so that no other text can be mistaken for one. */
const documentPrefix = "bursar.grant.v1\n"

const refused = (error: unknown): Untouched => {
  const { message, name } = error instanceof Error ? error : new Error(String(error))
  if (name === "NotAllowedError")
    return new Untouched(
      "passkey_refused",
      "The device gave no passkey: none of yours is on it, or you did not confirm in time. If it is lost, another approver can go on without you."
    )
  if (name === "InvalidStateError") return new Untouched("passkey_known", "The device has a passkey of an approver.")
  return new Untouched("passkey_refused", `The device gave no passkey: ${message}.`)
}

/** What a person confirms on the device, as long as it is not cancelled on the page. */
const onDevice = <A>(cancelled: AbortSignal, confirm: () => Promise<A>): Effect.Effect<A, Untouched> =>
  Effect.tryPromise({
    try: async () => {
      cancelled.throwIfAborted()
      const cancel = () => WebAuthnAbortService.cancelCeremony()
      cancelled.addEventListener("abort", cancel, { once: true })
      const made = await confirm().finally(() => cancelled.removeEventListener("abort", cancel))
      cancelled.throwIfAborted()
      return made
    },
    catch: refused
  })

/** Where passkeys are used, or why they are not here. */
const relyingPartyHere = ({ relying_party: found }: Approvers) => {
  const unavailable = (message: string) => Effect.fail(new Untouched("passkey_unavailable", message))
  if (found === null) return unavailable("The root of grants names no relying party, so passkeys count nowhere.")
  return found.origins.includes(location.origin)
    ? Effect.succeed(found)
    : unavailable(`Passkeys count on ${found.origins.join(" and ")}, and this page is at ${location.origin}.`)
}

const passkeysOf = ({ approvers }: Approvers) =>
  approvers.flatMap(({ keys }) =>
    keys.flatMap(({ key, type }) => (type === "passkey" ? [{ id: key, type: "public-key" as const }] : []))
  )

const hex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** The hash of the very document that is shown. One that the service names is compared with it, and never signed. */
const challengeOf = ({ document, hash }: Pick<OperatorGrantProposal, "document" | "hash">) =>
  Effect.flatMap(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(documentPrefix + document))),
    (own) =>
      hex(own) === hash
        ? Effect.succeed(bufferToBase64URLString(own))
        : Effect.fail(new Untouched("hash_differs", "The service names a hash that is not the document's."))
  )

/** The person's word for a proposal, from a passkey on the device: the hash of the document is what it signs. */
export const approvalByPasskey = (approvers: Approvers, proposal: OperatorGrantProposal, cancelled: AbortSignal) =>
  Effect.gen(function* () {
    const { rp_id: rpId } = yield* relyingPartyHere(approvers)
    const challenge = yield* challengeOf(proposal)
    const optionsJSON = {
      challenge,
      rpId,
      allowCredentials: passkeysOf(approvers),
      userVerification: "required",
      timeout: confirmMs
    } as const
    const { id, response } = yield* onDevice(cancelled, () => startAuthentication({ optionsJSON }))
    return {
      type: "passkey" as const,
      key: id,
      authenticator_data: response.authenticatorData,
      client_data: response.clientDataJSON,
      signature: response.signature
    }
  })

const random = (): string => bufferToBase64URLString(crypto.getRandomValues(new Uint8Array(32)).buffer)

/** An ES256 key as COSE (RFC 9052) says it, from the encoding that browsers give: its last 64 bytes are the two coordinates. */
const coseOf = (spki: string): string => {
  const point = new Uint8Array(base64URLStringToBuffer(spki)).slice(-64)
  const [head, between] = [
    [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20],
    [0x22, 0x58, 0x20]
  ]
  return bufferToBase64URLString(
    Uint8Array.from([...head, ...point.slice(0, 32), ...between, ...point.slice(32)]).buffer
  )
}

/** A passkey as a grant of approvers names it. */
export interface MadePasskey {
  readonly type: "passkey"
  readonly credential_id: string
  readonly public_key: string
}

/** Makes a passkey on the person's device. Its public side goes into a grant; by itself it approves nothing. */
export const makePasskey = (
  approvers: Approvers,
  name: string,
  cancelled: AbortSignal
): Effect.Effect<MadePasskey, Untouched> =>
  Effect.gen(function* () {
    const { rp_id: id } = yield* relyingPartyHere(approvers)
    const optionsJSON = {
      rp: { id, name: "Bursar" },
      // another id each time, so that no device replaces an older passkey of the same person
      user: { id: random(), name, displayName: name },
      challenge: random(),
      pubKeyCredParams: [{ type: "public-key" as const, alg: es256 }],
      excludeCredentials: passkeysOf(approvers),
      authenticatorSelection: { residentKey: "preferred", userVerification: "required" } as const,
      attestation: "none" as const,
      timeout: confirmMs
    }
    const { id: credential, response } = yield* onDevice(cancelled, () => startRegistration({ optionsJSON }))
    if (response.publicKeyAlgorithm !== es256 || response.publicKey === undefined)
      return yield* Effect.fail(
        new Untouched("passkey_unusable", "The device makes no ES256 keys, and grants take no others.")
      )
    return { type: "passkey" as const, credential_id: credential, public_key: coseOf(response.publicKey) }
  })

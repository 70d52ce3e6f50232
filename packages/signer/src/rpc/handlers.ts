import type { StorageError } from "@bursar/core/engine/StorageError"
import { logStorageError } from "@bursar/core/engine/StorageError"
import { type AuditBroken, AuditSealer } from "@bursar/core/port/AuditSealer"
import { type ProofRefused, ReserveProver } from "@bursar/core/port/ReserveProver"
import type { SealedKey } from "@bursar/core/port/SealedKey"
import { type SigningRefused, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { type UnknownCustody, Vault, VaultError, type WrappedKeyUnreadable } from "@bursar/core/port/Vault"
import { ByteSize, Effect, Layer, Semaphore } from "effect"
import { HttpIncomingMessage, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { MadeKeys } from "./MadeKeys.ts"
import { bodyMaxBytes, SignerApi } from "./SignerApi.ts"

/** How many requests are worked on at once; others wait. */
const atOnceMax = 64

/** How long a request may take. What was signed by then is remembered, and the next request gets the answer. */
const deadline = "20 seconds"

type Known = AuditBroken | ProofRefused | UnknownCustody | SigningRefused | VaultError | WrappedKeyUnreadable

const late = new VaultError({ doing: "answer", reason: "the signer took too long; the request can be repeated" })

/** What the storage could not do is for the signer's own log. */
const ofStorage = (error: StorageError): Effect.Effect<never, VaultError> =>
  Effect.andThen(
    logStorageError(error),
    Effect.fail(new VaultError({ doing: error.doing, reason: "the signer's database does not answer" }))
  )

/** Gives what is asked for, with the sealed key that had to be made for it. */
const withMade = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const made: Array<SealedKey> = []
    return Effect.map(Effect.provideService(effect, MadeKeys, made), (answer) => ({ answer, made: made[0] ?? null }))
  })

const group = HttpApiBuilder.group(
  SignerApi,
  "signer",
  Effect.fnUntraced(function* (handlers) {
    const [vault, signer, turns] = [yield* Vault, yield* TransactionSigner, yield* Semaphore.make(atOnceMax)]
    const [audit, prover] = [yield* AuditSealer, yield* ReserveProver]
    const bounded = <A, E extends Known>(effect: Effect.Effect<A, E | StorageError>) =>
      effect.pipe(
        Effect.catchIf(
          (error): error is Extract<typeof error, StorageError> => error._tag === "StorageError",
          ofStorage
        ),
        turns.withPermit,
        Effect.timeoutOrElse({ duration: deadline, orElse: () => Effect.fail(late) })
      )
    return handlers.handleAll({
      sign: ({ payload }) => bounded(signer.sign(payload)),
      signed: ({ payload }) => bounded(Effect.map(signer.signed(payload), (signatures) => ({ signatures }))),
      seed: ({ payload: { tenantId } }) =>
        bounded(Effect.map(withMade(vault.createSeed(tenantId)), ({ answer, made }) => ({ id: answer, made }))),
      wrappingKey: ({ payload: { tenantId } }) =>
        bounded(Effect.map(withMade(vault.wrappingKey(tenantId)), ({ answer, made }) => ({ ...answer, made }))),
      publicAccount: ({ payload: { network, seedId, tenantId } }) =>
        bounded(Effect.map(vault.publicAccount(tenantId, seedId, network), (account) => ({ account }))),
      publicKey: ({ payload: { key } }) => bounded(Effect.map(vault.publicKey(key), (publicKey) => ({ publicKey }))),
      createCustodyKey: ({ payload }) => bounded(vault.createCustodyKey(payload)),
      importKey: ({ payload }) => bounded(vault.importKey(payload)),
      proveReserve: ({ payload }) => bounded(prover.prove(payload)),
      signDocument: ({ payload }) => bounded(prover.signDocument(payload)),
      sealAudit: ({ payload: { after } }) => bounded(Effect.map(audit.seal(after), (seal) => ({ seal }))),
      // a long log takes its time, and nobody waits for it who signs
      verifyAudit: () => Effect.as(audit.verify, {})
    })
  })
)

/** The signer's interface as routes, over the vault and the signer of transactions. */
export const routes = HttpApiBuilder.layer(SignerApi).pipe(
  Layer.provide(group),
  Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyMaxBytes))),
  Layer.provide(HttpServer.layerServices)
)

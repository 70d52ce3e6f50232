import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { AuditBroken, AuditSealer } from "@bursar/core/port/AuditSealer"
import { GrantWitness } from "@bursar/core/port/GrantWitness"
import { KeyStore } from "@bursar/core/port/KeyStore"
import { ProofRefused, ReserveProver } from "@bursar/core/port/ReserveProver"
import { SigningRefused, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { UnknownCustody, Vault, VaultError, WrappedKeyUnreadable } from "@bursar/core/port/Vault"
import { Context, type Duration, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { readFileSync } from "node:fs"
import type { SignerAddress, TlsFiles } from "../SignerAddress.ts"
import { makePostLines } from "./postLines.ts"
import { SignerApi } from "./SignerApi.ts"
import { signTogether } from "./signTogether.ts"

/** Where the signer is. */
export interface SignerClientOptions {
  readonly address: SignerAddress
  /** Needed over TLS. */
  readonly tls?: TlsFiles
}

/** A little longer than the signer takes at most. */
const patience = "25 seconds"

/** How long looking through a long log of operators' actions may take. */
const auditPatience = "10 minutes"

type Known = AuditBroken | ProofRefused | SigningRefused | UnknownCustody | VaultError | WrappedKeyUnreadable

const isKnown = (error: unknown): error is Known =>
  error instanceof AuditBroken ||
  error instanceof ProofRefused ||
  error instanceof SigningRefused ||
  error instanceof UnknownCustody ||
  error instanceof VaultError ||
  error instanceof WrappedKeyUnreadable

/** What is no answer of the signer says that it cannot be reached: the same request can be made again. */
const reached = <A, E>(effect: Effect.Effect<A, E>, duration: Duration.Input = patience) =>
  effect.pipe(
    Effect.timeoutOrElse({
      duration,
      orElse: () => Effect.fail(new VaultError({ doing: "reach the signer", reason: "it did not answer in time" }))
    }),
    Effect.mapError((error): Extract<E, Known> | VaultError =>
      isKnown(error)
        ? (error as Extract<E, Known>) // it is one of those of E
        : new VaultError({ doing: "reach the signer", reason: "it does not answer" })
    )
  )

/**
 * A connection that was kept may be closed by the signer in the moment in which it is used again, and then nobody knows whether the
 * signer has read the request. Every request can be made again: what was signed is remembered, and what was made counts once stored.
 */
const repeating = (client: HttpClient.HttpClient) =>
  HttpClient.retry(client, { times: 2, while: ({ reason }) => reason._tag === "TransportError" })

/** The calls of the signer, each over its connection. */
const makeCalls = ({ address, tls }: SignerClientOptions) => {
  const agent = {
    keepAlive: true,
    maxSockets: 64,
    ...(address._tag === "Socket" ? { socketPath: address.path } : {}),
    ...(tls === undefined
      ? {}
      : {
          ca: readFileSync(tls.ca),
          cert: readFileSync(tls.cert),
          key: readFileSync(tls.key),
          minVersion: "TLSv1.3" as const
        })
  }
  const baseUrl = address._tag === "Socket" ? "http://signer" : `https://${address.host}:${address.port}`
  return Effect.gen(function* () {
    const { signer } = yield* HttpApiClient.make(SignerApi, { baseUrl, transformClient: repeating })
    return { ...signer, sign: signTogether(makePostLines(baseUrl, agent)) }
  }).pipe(Effect.provide(NodeHttpClient.layerNodeHttpOptions(agent)))
}

type Calls = Effect.Success<ReturnType<typeof makeCalls>>

class SignerCalls extends Context.Service<SignerCalls, Calls>()("@bursar/signer/SignerCalls") {}

const layerCalls = (options: SignerClientOptions) => Layer.effect(SignerCalls, makeCalls(options))

const vault = Layer.effect(
  Vault,
  Effect.gen(function* () {
    const [calls, store] = [yield* SignerCalls, yield* KeyStore]

    const wrappingKey: Vault["Service"]["wrappingKey"] = Effect.fnUntraced(function* (tenantId) {
      const { made, ...key } = yield* reached(calls.wrappingKey({ payload: { tenantId } }))
      if (made === null) return key
      const stored = yield* store.putFirst(made)
      // another process was first: the one that is stored counts
      return stored.id === made.id ? key : yield* wrappingKey(tenantId)
    })

    return Vault.of({
      createSeed: Effect.fnUntraced(function* (tenantId) {
        const there = yield* store.first(tenantId, "SEED")
        if (there !== undefined) return there.id
        const { id, made } = yield* reached(calls.seed({ payload: { tenantId } }))
        return made === null ? id : (yield* store.putFirst(made)).id
      }),
      publicAccount: (tenantId, seedId, network) =>
        Effect.map(reached(calls.publicAccount({ payload: { tenantId, seedId, network } })), ({ account }) => account),
      wrappingKey,
      importKey: (wrapped) =>
        Effect.andThen(wrappingKey(wrapped.tenantId), reached(calls.importKey({ payload: wrapped }))),
      createCustodyKey: (wish) => reached(calls.createCustodyKey({ payload: wish })),
      publicKey: (key) => Effect.map(reached(calls.publicKey({ payload: { key } })), ({ publicKey }) => publicKey)
    })
  })
)

const signer = Layer.effect(
  TransactionSigner,
  Effect.map(SignerCalls, (calls) =>
    TransactionSigner.of({
      sign: (transaction) => reached(calls.sign(transaction)),
      signed: (of) => Effect.map(reached(calls.signed({ payload: of })), ({ signatures }) => signatures)
    })
  )
)

/** The vault of a signer in another process. What the signer has made for it, sealed, is stored here. */
export const layerVault = (options: SignerClientOptions): Layer.Layer<Vault, never, KeyStore> =>
  Layer.provide(vault, layerCalls(options))

const prover = Layer.effect(
  ReserveProver,
  Effect.map(SignerCalls, (calls) =>
    ReserveProver.of({
      prove: (reserve) => reached(calls.proveReserve({ payload: reserve })),
      signDocument: (document) => reached(calls.signDocument({ payload: document }))
    })
  )
)

/** What proves that keys are there, in another process. */
export const layerReserveProver = (options: SignerClientOptions): Layer.Layer<ReserveProver> =>
  Layer.provide(prover, layerCalls(options))

/** The signer of transactions in another process. While it cannot be reached nothing fails: it is asked again. */
export const layerTransactionSigner = (options: SignerClientOptions): Layer.Layer<TransactionSigner> =>
  Layer.provide(signer, layerCalls(options))

const grantWitness = Layer.effect(
  GrantWitness,
  Effect.map(SignerCalls, (calls) =>
    GrantWitness.of({
      receivesFrom: (destination) =>
        Effect.map(reached(calls.receivesFrom({ payload: destination })), ({ from }) => from)
    })
  )
)

/** A signer in another process that has seen grants appear. */
export const layerGrantWitness = (options: SignerClientOptions): Layer.Layer<GrantWitness> =>
  Layer.provide(grantWitness, layerCalls(options))

const auditSealer = Layer.effect(
  AuditSealer,
  Effect.map(SignerCalls, (calls) =>
    AuditSealer.of({
      seal: (after) => Effect.map(reached(calls.sealAudit({ payload: { after } })), ({ seal }) => seal),
      verify: Effect.map(reached(calls.verifyAudit({ payload: {} }), auditPatience), ({ seal }) => seal)
    })
  )
)

/** The seals of the log of operators' actions, made by a signer in another process. */
export const layerAuditSealer = (options: SignerClientOptions): Layer.Layer<AuditSealer> =>
  Layer.provide(auditSealer, layerCalls(options))

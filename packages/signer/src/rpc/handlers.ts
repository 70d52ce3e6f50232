import { AuditSealer } from "@bursar/core/port/AuditSealer"
import { GrantWitness } from "@bursar/core/port/GrantWitness"
import { ReserveProver } from "@bursar/core/port/ReserveProver"
import type { Network } from "@bursar/core/money/Network"
import type { SealedKey } from "@bursar/core/port/SealedKey"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Vault, VaultError } from "@bursar/core/port/Vault"
import { ByteSize, Effect, Layer, Option } from "effect"
import { HttpIncomingMessage, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { signRoute } from "./answerLines.ts"
import { Bounded } from "./bounded.ts"
import { MadeKeys } from "./MadeKeys.ts"
import { bodyMaxBytes, SignerApi } from "./SignerApi.ts"

/** Gives what is asked for, with the sealed key that had to be made for it. */
const withMade = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const made: Array<SealedKey> = []
    return Effect.map(Effect.provideService(effect, MadeKeys, made), (answer) => ({ answer, made: made[0] ?? null }))
  })

const rootless = new VaultError({ doing: "say since when a destination is granted", reason: "it has no GRANT_ROOT" })

const group = HttpApiBuilder.group(
  SignerApi,
  "signer",
  Effect.fnUntraced(function* (handlers) {
    const [vault, signer] = [yield* Vault, yield* TransactionSigner]
    const bounded = yield* Bounded
    const [audit, prover] = [yield* AuditSealer, yield* ReserveProver]
    const witness = yield* Effect.serviceOption(GrantWitness)
    return handlers.handleAll({
      signed: ({ payload }) => bounded("signed")(Effect.map(signer.signed(payload), (signatures) => ({ signatures }))),
      seed: ({ payload: { tenantId } }) =>
        bounded("seed")(Effect.map(withMade(vault.createSeed(tenantId)), ({ answer, made }) => ({ id: answer, made }))),
      wrappingKey: ({ payload: { tenantId } }) =>
        bounded("wrappingKey")(
          Effect.map(withMade(vault.wrappingKey(tenantId)), ({ answer, made }) => ({ ...answer, made }))
        ),
      publicAccount: ({ payload: { network, seedId, tenantId } }) =>
        bounded("publicAccount")(
          Effect.map(vault.publicAccount(tenantId, seedId, network), (account) => ({ account }))
        ),
      publicKey: ({ payload: { key } }) =>
        bounded("publicKey")(Effect.map(vault.publicKey(key), (publicKey) => ({ publicKey }))),
      createCustodyKey: ({ payload }) => bounded("createCustodyKey")(vault.createCustodyKey(payload)),
      importKey: ({ payload }) => bounded("importKey")(vault.importKey(payload)),
      proveReserve: ({ payload }) => bounded("proveReserve")(prover.prove(payload)),
      signDocument: ({ payload }) => bounded("signDocument")(prover.signDocument(payload)),
      receivesFrom: ({ payload }) =>
        Option.match(witness, {
          onNone: () => Effect.fail(rootless),
          onSome: ({ receivesFrom }) => bounded("receivesFrom")(Effect.map(receivesFrom(payload), (from) => ({ from })))
        }),
      sealAudit: ({ payload: { after } }) => bounded("sealAudit")(Effect.map(audit.seal(after), (seal) => ({ seal }))),
      // a long log takes its time, and nobody waits for it who signs
      verifyAudit: () => Effect.map(audit.verify, (seal) => ({ seal }))
    })
  })
)

/** The signer's interface as routes, over the vault and the signer of transactions, with turns of its own for each of these networks. */
export const routes = (networks: ReadonlyArray<Network>) =>
  Layer.mergeAll(HttpApiBuilder.layer(SignerApi).pipe(Layer.provide(group)), signRoute(networks)).pipe(
    Layer.provide(Bounded.layer),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyMaxBytes))),
    Layer.provide(HttpServer.layerServices)
  )

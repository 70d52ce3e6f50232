import { documentMessage, documentObjection } from "@bursar/api/solvency/documentSignature"
import { claimObjection, reserveMessage } from "@bursar/api/solvency/reserveMessage"
import type { NetworkTable } from "@bursar/core/money/Network"
import { KeyCustodies } from "@bursar/core/port/KeyCustody"
import { KeyStore } from "@bursar/core/port/KeyStore"
import { Networks } from "@bursar/core/port/Networks"
import { ProofRefused, ReserveProver } from "@bursar/core/port/ReserveProver"
import { VaultError } from "@bursar/core/port/Vault"
import { Effect, Layer, Result } from "effect"
import { sealedKeys } from "./internal/sealedKeys.ts"
import type { MasterKeys } from "./MasterKeys.ts"
import { documentKey } from "./documentKey.ts"

/** What a prover goes by. */
export interface ProverOptions {
  readonly networks: NetworkTable
  /** The name of the service that it signs for. */
  readonly service: string
}

/**
 * Proves that the keys of addresses are there, with keys in sealed storage and in custodies.
 *
 * **Details**
 *
 * It derives the addresses of the key itself, writes the text itself from the fields of the claim, and signs that text alone, by the
 * network's standard for messages. What it signed is verified before it is given out. Documents are signed with a key that follows from
 * the current master key. It signs for one service alone: whoever may ask it cannot lend the reserves to another.
 */
export const layer = (
  keys: MasterKeys,
  { networks: traits, service }: ProverOptions
): Layer.Layer<ReserveProver, never, KeyStore | Networks> =>
  Layer.effect(
    ReserveProver,
    Effect.gen(function* () {
      const sealed = sealedKeys(keys, yield* KeyStore, { custodies: yield* KeyCustodies, networks: traits })
      const networks = yield* Networks
      const { publicKey: documentsKey, sign } = documentKey(keys)
      const strange = (named: string): string | undefined =>
        named === service ? undefined : `it is for the service ${named}, and this signer is that of ${service}`
      return ReserveProver.of({
        signDocument: Effect.fn("ReserveProver.signDocument")(function* (document) {
          const objection = documentObjection(document) ?? strange(document.service)
          if (objection !== undefined) return yield* new VaultError({ doing: "sign a document", reason: objection })
          const { digest, snapshotId: snapshot } = document
          const signature = sign(Buffer.from(documentMessage(document), "utf8"))
          yield* Effect.annotateLogs(Effect.logInfo("solvency.signed"), { snapshot, digest })
          return { key: documentsKey, signature }
        }),
        prove: Effect.fn("ReserveProver.prove")(function* ({ key, ...claim }) {
          const { address, network, snapshotId } = claim
          const refuse = (reason: string) => new ProofRefused({ network, reason })
          const adapter = networks.get(network)
          if (adapter === undefined) return yield* refuse("the network is off")
          const { addressesOf, messageToSign, verifyMessage } = adapter.keys
          if (messageToSign === undefined) return yield* refuse("keys of this network sign no messages")
          const objection =
            key.network === network
              ? (claimObjection(claim) ?? strange(claim.service))
              : "the key is one of another network"
          if (objection !== undefined) return yield* refuse(objection)
          const publicKey = yield* sealed.publicKey(key)
          if (!addressesOf(publicKey).includes(address)) return yield* refuse(`the key is not that of ${address}`)
          const message = reserveMessage(claim)
          const signable = messageToSign(address, message)
          if (Result.isFailure(signable)) return yield* refuse(signable.failure)
          const { digest, finish } = signable.success
          const signature = finish({ publicKey, ...(yield* sealed.signDigest(key, digest)) })
          if (!(yield* verifyMessage(address, message, signature)))
            return yield* new VaultError({ doing: "prove a reserve", reason: "its own signature does not verify" })
          yield* Effect.annotateLogs(Effect.logInfo("reserve.proven"), { network, address, snapshot: snapshotId })
          return { format: adapter.traits.messageFormat, message, signature }
        })
      })
    })
  )

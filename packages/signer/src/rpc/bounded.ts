import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import type { Network } from "@bursar/core/money/Network"
import { VaultError } from "@bursar/core/port/Vault"
import { Context, Effect, Layer } from "effect"
import { makeTurns, type Turns } from "./makeTurns.ts"

/** How many requests are worked on at once, and one more of each other kind; others wait. Those of one kind get half of it at most. */
const atOnceMax = 128

/** How long a request may take. What was signed by then is remembered, and the next request gets the answer. */
const deadline = "20 seconds"

const late = new VaultError({ doing: "answer", reason: "the signer took too long; the request can be repeated" })

/** What the storage could not do is for the signer's own log. */
const ofStorage = (error: StorageError): Effect.Effect<never, VaultError> =>
  Effect.andThen(
    logStorageError(error),
    Effect.fail(new VaultError({ doing: error.doing, reason: "the signer's database does not answer" }))
  )

/** Works on a request of a kind in its turn, and for so long at most; says nothing of the storage. */
const boundedBy =
  (turns: Turns) =>
  (kind: string) =>
  <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E | StorageError, R>) =>
    effect.pipe(
      Effect.catchIf((error): error is Extract<typeof error, StorageError> => error._tag === "StorageError", ofStorage),
      (work) => turns(kind, work),
      Effect.timeoutOrElse({ duration: deadline, orElse: () => Effect.fail(late) })
    )

/**
 * The kinds of what signs, by networks: its node, or the custody of its keys, may not answer, and keeps no other network waiting. A name that is of none
 * of these is whatever somebody has written: all such names are one kind, for each other kind is given a turn.
 */
export const signingKinds = (networks: Iterable<Network>): ((network: Network) => string) => {
  const kinds = new Map([...networks].map((name) => [name, `sign ${name}`]))
  return (network) => kinds.get(network) ?? "sign"
}

/**
 * How requests are worked on: all of a signer share its turns, by kinds, of which there are few. One that does not answer keeps nothing else waiting.
 */
export class Bounded extends Context.Service<Bounded, ReturnType<typeof boundedBy>>()("@bursar/signer/rpc/Bounded") {
  static readonly layer = Layer.effect(Bounded, Effect.map(makeTurns(atOnceMax), boundedBy))
}
